import { type BlobStore, newAttempt, segmentKey } from '#blobs';
import type { FileId, TenantId } from '#model';
import { shrinkSegment } from '#originals';
import type { StoredBytes } from '#store';
import { failpoint } from '#telemetry';
import type { Range } from './plan-appends.ts';

/** Larger ranges are stored as objects, so that rows stay small. */
const maxInlineBytes = 64 * 1024;

/**
 * A received range: its decoded bytes, and the body as sent if it can be stored unchanged, as a
 * single zstd frame (encoding 1) or a block of columns (3).
 */
export interface ReceivedRange extends Range {
  readonly fileId: FileId;
  readonly pieces: readonly Buffer[];
  readonly coded: { readonly body: Buffer; readonly encoding: 1 | 3 } | null;
}

/**
 * Makes the bytes of a range durable, unless they are small enough for their row, which is
 * committed soon. Returns their location. Large ranges are not compressed here. They are compressed
 * later, when the file is complete and its segments are joined, so that no request waits for
 * compression.
 */
export async function storeRange(blobs: BlobStore, tenantId: TenantId, range: ReceivedRange): Promise<StoredBytes> {
  const coded = range.coded && range.coded.body.length < range.length ? range.coded : null;
  if (range.length <= maxInlineBytes && coded?.encoding !== 3) {
    const bytes = Buffer.concat(range.pieces);
    const shrunk = await shrinkSegment(bytes);
    return { body: shrunk?.stored ?? bytes, objectKey: null, encoding: shrunk?.encoding ?? 0 };
  }
  if (coded && coded.body.length <= maxInlineBytes) return { body: coded.body, objectKey: null, encoding: coded.encoding };
  const coding = coded === null ? null : coded.encoding === 1 ? 'zstd' : 'columns';
  const objectKey = segmentKey({ ...range, coding, attempt: newAttempt() });
  await failpoint('before-object-put');
  await (coded ? blobs.put(tenantId, objectKey, coded.body) : blobs.put(tenantId, objectKey, range.pieces, { crc32c: range.crc32c }));
  await failpoint('after-object-put');
  return { body: null, objectKey, encoding: coded?.encoding ?? 0 };
}
