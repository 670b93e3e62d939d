import { combineCrc32c } from '#records';

/** Lengths and checksums of a file, as received and as kept. */
export interface CutFile {
  readonly durableOffset: number;
  /** CRC-32C of the durable bytes as received. */
  readonly crc32c: number;
  /**
   * Length of the prefix that is kept without deleted points, at its original size. 0 if all bytes
   * are as received.
   */
  readonly rewrittenBytes: number;
  /** CRC-32C of the rewritten prefix as kept. */
  readonly rewrittenCrc32c: number;
  /** CRC-32C of the rewritten or dropped prefix as received. Null if unknown. */
  readonly receivedCrc32c: number | null;
}

/** CRC-32C of all durable bytes as kept, i.e. as downloaded. */
export function keptCrc32c(file: CutFile): number {
  if (file.rewrittenBytes === 0) return file.crc32c;
  const { rewrittenBytes, rewrittenCrc32c, receivedCrc32c } = file;
  return exchange(file.crc32c, file.durableOffset - rewrittenBytes, receivedCrc32c!, rewrittenCrc32c);
}

/**
 * CRC-32C of the first `bytes` as received, computed from their CRC-32C as kept. Null if the
 * rewritten prefix is longer.
 */
export function receivedFromKept(file: CutFile, kept: number, bytes: number): number | null {
  if (file.rewrittenBytes === 0) return kept;
  if (bytes < file.rewrittenBytes) return null;
  return exchange(kept, bytes - file.rewrittenBytes, file.rewrittenCrc32c, file.receivedCrc32c!);
}

/**
 * Converts the checksum of A followed by `rest` bytes to the checksum of B followed by the same
 * bytes. This is possible because a CRC is linear.
 */
function exchange(crc: number, rest: number, a: number, b: number): number {
  return (crc ^ combineCrc32c(a, 0, rest) ^ combineCrc32c(b, 0, rest)) >>> 0;
}
