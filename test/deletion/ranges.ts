import { createHash } from 'node:crypto';

/** Of one range: more than a row keeps, so that each is an object. */
export const rangeBytes = 70_000;

/** The bytes of a file from `offset` on, a multiple of {@link rangeBytes}: whoever knows the file knows them, and no two ranges have the same. */
export function rangeAt(fileId: string, offset: number): Buffer {
  const block = (n: number) => createHash('sha512').update(`${fileId} ${offset} ${n}`).digest();
  return Buffer.concat(Array.from({ length: Math.ceil(rangeBytes / 64) }, (_, n) => block(n))).subarray(0, rangeBytes);
}
