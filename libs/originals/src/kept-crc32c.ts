import { combineCrc32c } from '#records';

/** What tells the checksums of the received bytes of a file and of those that are kept apart. */
export interface CutFile {
  readonly durableOffset: number;
  /** CRC-32C of the durable bytes as they were received. */
  readonly crc32c: number;
  /** First bytes that are kept without deleted points, in as many bytes; 0: all are as they were received. */
  readonly rewrittenBytes: number;
  /** CRC-32C of these bytes as they are kept. */
  readonly rewrittenCrc32c: number;
  /** CRC-32C of the first bytes that are rewritten, or not kept, as they were received; null: not known. */
  readonly receivedCrc32c: number | null;
}

/** CRC-32C of all durable bytes as they are kept: what a download has. */
export function keptCrc32c(file: CutFile): number {
  if (file.rewrittenBytes === 0) return file.crc32c;
  const { rewrittenBytes, rewrittenCrc32c, receivedCrc32c } = file;
  return exchange(file.crc32c, file.durableOffset - rewrittenBytes, receivedCrc32c!, rewrittenCrc32c);
}

/** CRC-32C of the first `bytes` as they were received, from that of these bytes as they are kept. Null: the rewritten ones go further. */
export function receivedFromKept(file: CutFile, kept: number, bytes: number): number | null {
  if (file.rewrittenBytes === 0) return kept;
  if (bytes < file.rewrittenBytes) return null;
  return exchange(kept, bytes - file.rewrittenBytes, file.rewrittenCrc32c, file.receivedCrc32c!);
}

/** The checksum of A and `rest` bytes as one of B and these bytes: a CRC is linear. */
function exchange(crc: number, rest: number, a: number, b: number): number {
  return (crc ^ combineCrc32c(a, 0, rest) ^ combineCrc32c(b, 0, rest)) >>> 0;
}
