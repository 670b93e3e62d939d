/** Whether the reader has a Mac keyboard. Not known on the server. */
export const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);
