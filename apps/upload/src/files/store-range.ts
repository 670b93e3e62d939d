import { type BlobStore, newAttempt, segmentKey } from '#blobs';
import type { FileId, TenantId } from '#model';
import { shrinkSegment } from '#originals';
import type { StoredBytes } from '#store';
import { failpoint } from '#telemetry';
import type { Range } from './plan-appends.ts';

/** Larger ranges are stored as objects, so rows stay small. */
const maxInlineBytes = 64 * 1024;

/**
 * A received range: its decoded bytes, and the body as sent if it is a single zstd frame, which can
 * be stored unchanged.
 */
export interface ReceivedRange extends Range {
  readonly fileId: FileId;
  readonly pieces: readonly Buffer[];
  readonly frame: Buffer | null;
}

/**
 * Makes the bytes of a range durable, unless they are small enough for its row, which is committed
 * soon. Returns their location. Large ranges are not compressed here but when the file is complete
 * and its segments are joined, when no request waits.
 */
export async function storeRange(blobs: BlobStore, tenantId: TenantId, range: ReceivedRange): Promise<StoredBytes> {
  if (range.length <= maxInlineBytes) {
    const bytes = Buffer.concat(range.pieces);
    const shrunk = await shrinkSegment(bytes);
    return { body: shrunk?.stored ?? bytes, objectKey: null, encoding: shrunk?.encoding ?? 0 };
  }
  const frame = range.frame && range.frame.length < range.length ? range.frame : null;
  if (frame && frame.length <= maxInlineBytes) return { body: frame, objectKey: null, encoding: 1 };
  const objectKey = segmentKey({ ...range, zstd: frame !== null, attempt: newAttempt() });
  await failpoint('before-object-put');
  await (frame ? blobs.put(tenantId, objectKey, frame) : blobs.put(tenantId, objectKey, range.pieces, { crc32c: range.crc32c }));
  await failpoint('after-object-put');
  return { body: null, objectKey, encoding: frame ? 1 : 0 };
}
