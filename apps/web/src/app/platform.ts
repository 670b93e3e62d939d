/** Whether the reader has a Mac keyboard; unknown on the server. */
export const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);
