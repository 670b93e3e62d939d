/** Small, so that requests are what counts, and no event file, so that little is ingested meanwhile. */
export const smallBody = Buffer.alloc(4 * 1024, 1);
