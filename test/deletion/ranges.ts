import { createHash } from 'node:crypto';

/** Bytes of a range: more than a row can hold, so that each range becomes an object. */
export const rangeBytes = 70_000;

/**
 * Returns the bytes of a file from `offset`, a multiple of {@link rangeBytes}. They depend only on
 * the arguments, and no two ranges are equal.
 */
export function rangeAt(fileId: string, offset: number): Buffer {
  const block = (n: number) => createHash('sha512').update(`${fileId} ${offset} ${n}`).digest();
  return Buffer.concat(Array.from({ length: Math.ceil(rangeBytes / 64) }, (_, n) => block(n))).subarray(0, rangeBytes);
}
