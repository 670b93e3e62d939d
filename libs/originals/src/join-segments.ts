import { isDeepStrictEqual } from 'node:util';
import { crc32c } from '@node-rs/crc32';
import { type BlobStore, newAttempt, segmentKey } from '#blobs';
import type { FileId, TenantId } from '#model';
import { combineCrc32c } from '#records';
import { insertSegments, lockFiles, readLooseSegments, type SettledSegment, type Store, takeSegments, type TenantScope } from '#store';
import { failpoint } from '#telemetry';
import { OriginalDamaged } from './original-index.ts';
import { maxJoinedBytes, planJoins } from './plan-joins.ts';
import { type FileSource, readFileRange } from './read-file-range.ts';
import { shrinkSegment } from './segment-encoding.ts';
import { verifySegment } from './verify-stored.ts';

/** How {@link joinSegments} works. */
export interface JoinBounds {
  /**
   * More recent segments are not joined. A client that lost a response sends the same range again,
   * and earlier versions of the service recognize the range only if it still has its own segment.
   */
  readonly minAgeMs: number;
  /** How many segments one query returns. */
  readonly segmentsAtOnce?: number;
}

const defaultSegmentsAtOnce = 4_096;

/** Larger segments are stored as objects, so rows stay small. */
const maxInlineBytes = 64 * 1024;

/**
 * Whether {@link joinSegments} has work: there are segments to join, or more segments than one
 * query returns. Takes one statement.
 */
export async function hasSegmentsToJoin(
  store: Store,
  { tenantId, fileId }: { readonly tenantId: TenantId; readonly fileId: FileId },
  { minAgeMs, segmentsAtOnce = defaultSegmentsAtOnce }: JoinBounds,
): Promise<boolean> {
  const bounds = { from: 0, shorterThan: maxJoinedBytes / 2, minAgeMs };
  const read = (scope: TenantScope): Promise<SettledSegment[]> => readLooseSegments(scope, fileId, bounds, segmentsAtOnce);
  const loose = await store.withTenant(tenantId, read, { readOnly: true });
  return loose.length >= segmentsAtOnce || planJoins(loose).length > 0;
}

/**
 * Joins short adjacent segments of a growing file, up to where they were ingested, into longer
 * segments. So a run that lasts many days does not have a row for each second. The file's bytes do
 * not change, and readers are not affected. A crash at any moment is safe: the new segment's object
 * is written and read back, then one transaction replaces the rows, then the old objects are
 * deleted. Repeating the join is harmless, even concurrently. Returns the numbers of replaced and
 * new segments.
 */
export async function joinSegments(
  store: Store,
  blobs: BlobStore,
  { tenantId, fileId }: { readonly tenantId: TenantId; readonly fileId: FileId },
  { minAgeMs, segmentsAtOnce = defaultSegmentsAtOnce }: JoinBounds,
): Promise<{ readonly replaced: number; readonly by: number }> {
  const inTenant: FileSource['inTenant'] = (work) => store.withTenant(tenantId, work, { readOnly: true });
  const source = { inTenant, blobs, tenantId, fileId };
  let replaced = 0;
  let by = 0;
  for (let from = 0; ;) {
    const bounds = { from, shorterThan: maxJoinedBytes / 2, minAgeMs };
    const loose = await inTenant((scope) => readLooseSegments(scope, fileId, bounds, segmentsAtOnce));
    for (const group of planJoins(loose)) {
      if (!(await joinGroup(store, source, group))) continue;
      replaced += group.length;
      by++;
    }
    if (loose.length < segmentsAtOnce) return { replaced, by };
    from = loose.at(-1)!.offset + 1;
  }
}

/** Returns false if the segments cannot be read or were replaced concurrently. */
async function joinGroup(store: Store, source: FileSource, group: readonly SettledSegment[]): Promise<boolean> {
  const { blobs, tenantId, fileId } = source;
  const [first, last] = [group[0]!, group.at(-1)!];
  const range = { start: first.offset, end: last.offset + last.length };
  const length = range.end - range.start;
  const crc = group.reduce((sum, segment) => combineCrc32c(sum, segment.crc32c, segment.length), 0);
  const pieces: Buffer[] = [];
  try {
    for await (const piece of readFileRange(source, range)) pieces.push(piece);
  } catch (error) {
    if (error instanceof OriginalDamaged) return false; // the segments remain, and readers report the damage
    throw error;
  }
  const bytes = Buffer.concat(pieces);
  // A deletion may have rewritten the bytes since the group was read.
  if (bytes.length !== length || crc32c(bytes) !== crc) return false;
  const shrunk = await shrinkSegment(bytes);
  const { stored, encoding } = shrunk ?? { stored: bytes, encoding: 0 as const };
  const place = { fileId, offset: range.start, length, crc32c: crc };
  const objectKey =
    stored.length <= maxInlineBytes ? null : segmentKey({ ...place, coding: encoding === 0 ? null : 'zstd', attempt: newAttempt() });
  if (objectKey !== null) {
    await blobs.put(tenantId, objectKey, stored);
    await failpoint('after-original-put');
    await verifySegment(blobs, tenantId, objectKey, { bytes: length, crc32c: crc, encoding });
  }
  const done = await store
    .withTenant(tenantId, async (scope) => {
      const [file] = await lockFiles(scope, [fileId]);
      if (!file || file.experimentDeleted || file.runDeleted) throw new Changed();
      if (!isDeepStrictEqual(await takeSegments(scope, fileId, range.start, range.end), group)) throw new Changed();
      // Epochs increase along the prefix, so the last epoch covers the whole prefix.
      await insertSegments(scope, [{ ...place, epoch: last.epoch, encoding, body: objectKey === null ? stored : null, objectKey }]);
      return true;
    })
    .catch((error: unknown) => {
      if (error instanceof Changed) return false;
      throw error;
    });
  if (!done) {
    if (objectKey !== null) await blobs.delete(tenantId, objectKey); // no other attempt has this key
    return false;
  }
  await failpoint('after-original-commit');
  // A reader with an older state of the ledger reads it again if an object is missing.
  for (const segment of group) if (segment.objectKey !== null) await blobs.delete(tenantId, segment.objectKey);
  return true;
}

/** Rolls the transaction back. */
class Changed extends Error {}
