import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync } from 'node:zlib';
import { type BlobStore, segmentKey } from '#blobs';
import type { StoredBytes } from '#store';
import type { Range } from './plan-appends.ts';

/** Larger ones are objects, so that rows stay small. */
export const maxInlineBytes = 64 * 1024;
/** Shorter bodies hardly shrink. */
const minCompressedBytes = 512;
/** Compressing this much takes about 50 µs; more is done beside the event loop. */
const maxSyncBytes = 8 * 1024;

// Level 1: a second's points of a live run shrink to about 300 of 1,200 bytes, and a higher level gains next to nothing on so little.
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const compress = promisify(zstdCompress);

/** A received range: its decoded bytes, and the body as sent where that is one zstd frame, which can be kept as it is. */
export interface ReceivedRange extends Range {
  readonly fileId: string;
  readonly pieces: readonly Buffer[];
  readonly frame: Buffer | null;
}

/** Makes the bytes of a range durable, unless they are small enough for its row, which is committed soon. Returns where they are. */
export async function storeRange(blobs: BlobStore, tenantId: string, range: ReceivedRange): Promise<StoredBytes> {
  const frame = range.frame && range.frame.length < range.length ? range.frame : await shrink(range);
  if (frame && frame.length <= maxInlineBytes) return { body: frame, objectKey: null, encoding: 1 };
  if (!frame && range.length <= maxInlineBytes) return { body: Buffer.concat(range.pieces), objectKey: null, encoding: 0 };
  const objectKey = segmentKey({ ...range, zstd: frame !== null });
  await blobs.put(tenantId, objectKey, frame ?? range.pieces);
  return { body: null, objectKey, encoding: frame ? 1 : 0 };
}

/** Small ranges are compressed here, since live training writes little else; large ones are joined and compressed when the file is complete. */
async function shrink({ pieces, length }: ReceivedRange): Promise<Buffer | null> {
  if (length < minCompressedBytes || length > maxInlineBytes) return null;
  const bytes = Buffer.concat(pieces);
  const frame = length <= maxSyncBytes ? zstdCompressSync(bytes, zstdOptions) : await compress(bytes, zstdOptions);
  return frame.length < length ? frame : null;
}
