/** Whether the reader's keyboard is a Mac's; the server knows none. */
export const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform);
