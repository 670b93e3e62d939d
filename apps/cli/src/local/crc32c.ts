import { createRequire } from 'node:module';

// Loaded on first use: loading the native module takes a few milliseconds, which `--version` and
// `list` avoid.
let native: ((bytes: Uint8Array, initial?: number) => number) | undefined;

/** CRC-32C of `bytes`, continuing from `initial` (the CRC of the preceding bytes). */
export function crc32c(bytes: Uint8Array, initial = 0): number {
  native ??= (createRequire(import.meta.url)('@node-rs/crc32') as { crc32c: typeof native }).crc32c as NonNullable<typeof native>;
  return native(bytes, initial);
}
