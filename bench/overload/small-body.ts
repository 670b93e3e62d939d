/**
 * Small, so that the number of requests matters. It is not an event file, so the service ingests
 * almost nothing.
 */
export const smallBody = Buffer.alloc(4 * 1024, 1);
