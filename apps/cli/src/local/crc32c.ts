import { createRequire } from 'node:module';

// Loaded on first use: the native module costs a few milliseconds that `--version` and `list` need not pay.
let native: ((bytes: Uint8Array, initial?: number) => number) | undefined;

/** CRC-32C of `bytes`, going on from `initial` (the CRC of what stands before them). */
export function crc32c(bytes: Uint8Array, initial = 0): number {
  native ??= (createRequire(import.meta.url)('@node-rs/crc32') as { crc32c: typeof native }).crc32c as NonNullable<typeof native>;
  return native(bytes, initial);
}

/** RFC 9530 Content-Digest with the algorithm key `crc32c`: the four bytes, most significant first, as a structured-field byte sequence. */
export function contentDigest(crc: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc >>> 0);
  return `crc32c=:${bytes.toString('base64')}:`;
}
