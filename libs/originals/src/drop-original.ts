import { crc32c } from '@node-rs/crc32';
import { type BlobStore, newAttempt, segmentKey } from '#blobs';
import type { FileId, TenantId } from '#model';
import {
  addStoredBytes,
  countRemoved,
  insertObjectsToDelete,
  insertSegments,
  lockFiles,
  type NewSegment,
  readAcknowledgedEpoch,
  readFileProgress,
  type ReadProgress,
  readSegmentEnd,
  setDropped,
  type Store,
  takeSegmentsBefore,
  type TenantScope,
} from '#store';
import { OriginalDamaged } from './original-index.ts';
import { prefixCrc32c } from './prefix-crc32c.ts';
import { type FileSource, readFileRange } from './read-file-range.ts';

/**
 * `dropped`: the bytes that had been read are no longer kept. `nothing-to-do`: they had already
 * been dropped, or there are none. `gone`: there is no such file.
 */
export type DropOutcome = 'dropped' | 'nothing-to-do' | 'gone';

/** Maximum sizes of the segments for the remaining bytes, and of segments stored in rows. */
const maxPieceBytes = 8 * 1024 * 1024;
const maxInlineBytes = 64 * 1024;

/**
 * For a deletion, drops a file's original bytes up to where they were read. The bytes of an
 * incomplete last record are kept as separate segments, because reading continues there. The run
 * must not be ingested at the same time. Adds the dropped objects to the deletion's list.
 */
export async function dropOriginal(
  store: Store,
  blobs: BlobStore,
  tenantId: TenantId,
  fileId: FileId,
  deletionId: string,
): Promise<DropOutcome> {
  for (;;) {
    const inTenant: FileSource['inTenant'] = (work) => store.withTenant(tenantId, work, { readOnly: true });
    const progress = await inTenant((scope) => readFileProgress(scope, fileId));
    if (!progress) return 'gone';
    if (progress.readTo <= progress.droppedBytes) return 'nothing-to-do';
    const rest = await keepRest({ inTenant, blobs, tenantId, fileId }, progress);
    const receivedCrc32c = await checksumBefore({ inTenant, blobs, tenantId, fileId }, progress);
    const done = await store.withTenant(tenantId, async (scope) => {
      const [file] = await lockFiles(scope, [fileId]);
      const now = file && (await readFileProgress(scope, fileId));
      // The file was joined, reopened or dropped concurrently, so read the state again.
      if (!now || now.readTo < progress.readTo || now.originalKey !== progress.originalKey || now.droppedBytes !== progress.droppedBytes)
        return false;
      if (!(await endsWith(scope, { ...progress, fileId }, rest))) return false;
      const { objects, bytes } = await takeSegmentsBefore(scope, fileId, progress.readTo);
      const epoch = await readAcknowledgedEpoch(scope, file.experimentId);
      await insertSegments(
        scope,
        rest.map((segment) => ({ ...segment, epoch })),
      );
      await setDropped(scope, fileId, { bytes: progress.readTo, receivedCrc32c });
      const original = file.originalKey === null ? [] : [{ objectKey: file.originalKey, bytes: 0 }];
      await insertObjectsToDelete(scope, deletionId, [...objects, ...original]);
      await addStoredBytes(scope, file.experimentId, progress.droppedBytes - progress.readTo);
      await countRemoved(scope, deletionId, { files: 1, bytes });
      return true;
    });
    if (done) return 'dropped';
    for (const { objectKey } of rest) if (objectKey !== null) await blobs.delete(tenantId, objectKey);
  }
}

/**
 * Whether the segment that contains the end of the read bytes still ends where the rest ends. The
 * file must be locked.
 */
export async function endsWith(
  scope: TenantScope,
  { readTo, joinedBytes, fileId }: ReadProgress & { readonly fileId: FileId },
  rest: readonly Pick<NewSegment, 'length'>[],
): Promise<boolean> {
  const end = readTo < joinedBytes ? joinedBytes : await readSegmentEnd(scope, fileId, readTo);
  return Math.max(end ?? readTo, readTo) === rest.reduce((sum, { length }) => sum + length, readTo);
}

/** Stores the bytes from the end of the read bytes to the end of their segment or object. */
export async function keepRest(source: FileSource, { readTo, joinedBytes }: ReadProgress): Promise<Omit<NewSegment, 'epoch'>[]> {
  const { inTenant, blobs, tenantId, fileId } = source;
  const end = readTo < joinedBytes ? joinedBytes : await inTenant((scope) => readSegmentEnd(scope, fileId, readTo));
  if (end === null || end <= readTo) return [];
  const segments: Omit<NewSegment, 'epoch'>[] = [];
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let offset = readTo;
  const store = async (): Promise<void> => {
    if (waitingBytes === 0) return;
    const bytes = Buffer.concat(waiting);
    const range = { fileId, offset, length: bytes.length, crc32c: crc32c(bytes) };
    const objectKey = bytes.length <= maxInlineBytes ? null : segmentKey({ ...range, coding: null, attempt: newAttempt() });
    if (objectKey !== null) await blobs.put(tenantId, objectKey, bytes);
    segments.push({ ...range, body: objectKey === null ? bytes : null, objectKey, encoding: 0 });
    offset += bytes.length;
    waiting = [];
    waitingBytes = 0;
  };
  for await (const piece of readFileRange(source, { start: readTo, end })) {
    for (let at = 0; at < piece.length; at += maxPieceBytes) {
      const part = piece.subarray(at, at + maxPieceBytes);
      if (waitingBytes + part.length > maxPieceBytes) await store();
      waiting.push(part);
      waitingBytes += part.length;
    }
  }
  await store();
  return segments;
}

/**
 * The checksum of the dropped bytes as received. Null if it cannot be computed because bytes are
 * damaged or were dropped earlier.
 */
async function checksumBefore(
  { inTenant, blobs, fileId }: FileSource,
  { readTo, rewrittenBytes, receivedCrc32c }: ReadProgress,
): Promise<number | null> {
  if (readTo === rewrittenBytes) return receivedCrc32c;
  try {
    return await inTenant((scope) => prefixCrc32c({ scope, blobs, fileId }, readTo));
  } catch (error) {
    if (error instanceof OriginalDamaged) return null;
    throw error;
  }
}
