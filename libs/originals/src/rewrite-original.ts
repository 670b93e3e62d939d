import { crc32c } from '@node-rs/crc32';
import { type BlobStore, newAttempt, originalKey } from '#blobs';
import type { FileId, TenantId } from '#model';
import { combineCrc32c } from '#records';
import {
  countRemoved,
  countRewritten,
  insertObjectsToDelete,
  insertSegments,
  lockFiles,
  readAcknowledgedEpoch,
  readFileProgress,
  type ReadProgress,
  setRewritten,
  type Store,
  takeSegmentsBefore,
} from '#store';
import { endsWith, keepRest } from './drop-original.ts';
import { encodeOriginal } from './encode-original.ts';
import { OriginalDamaged } from './original-index.ts';
import { OriginalReader } from './original-reader.ts';
import { type FileSource, readFileRange } from './read-file-range.ts';
import { type RecordChange, RecordEditor } from './record-editor.ts';

/**
 * `rewritten`: the removed parts are no longer in the kept bytes. `untouched`: the kept bytes did
 * not contain them. `nothing-to-do`: nothing in the file was read, or its first bytes are not kept.
 * `gone`: there is no such file.
 */
export type RewriteOutcome = 'rewritten' | 'untouched' | 'nothing-to-do' | 'gone';

/**
 * For a deletion, removes parts from a file's stored bytes, up to where they were read. The file
 * keeps its length and its record offsets, so uploads, readers and downloads are not affected. The
 * checksum of its received bytes remains known. A file without such parts does not change. The run
 * must not be ingested at the same time. Adds the old objects to the deletion's list. Throws {@link
 * OriginalDamaged} if the stored bytes cannot be read.
 */
export async function rewriteOriginal(
  store: Store,
  blobs: BlobStore,
  tenantId: TenantId,
  fileId: FileId,
  { deletionId, change }: { readonly deletionId: string; readonly change: RecordChange },
): Promise<RewriteOutcome> {
  const inTenant: FileSource['inTenant'] = (work) => store.withTenant(tenantId, work, { readOnly: true });
  const source = { inTenant, blobs, tenantId, fileId };
  for (;;) {
    const progress = await inTenant((scope) => readFileProgress(scope, fileId));
    if (!progress) return 'gone';
    if (progress.readTo === 0 || progress.droppedBytes > 0) return 'nothing-to-do';
    if (!(await holds(source, progress, change))) return 'untouched';
    const key = originalKey(fileId, progress.readTo, newAttempt());
    const written = await writeRewritten(source, key, progress, change);
    const rest = await keepRest(source, progress);
    const done = await store.withTenant(tenantId, async (scope) => {
      const [file] = await lockFiles(scope, [fileId]);
      const now = file && (await readFileProgress(scope, fileId));
      // The file was joined, reopened or rewritten concurrently, so read the state again.
      if (!now || !isSame(now, progress)) return false;
      if (!(await endsWith(scope, { ...progress, fileId }, rest))) return false;
      const { objects, bytes } = await takeSegmentsBefore(scope, fileId, progress.readTo);
      const epoch = await readAcknowledgedEpoch(scope, file.experimentId);
      await insertSegments(
        scope,
        rest.map((segment) => ({ ...segment, epoch })),
      );
      await setRewritten(scope, fileId, { originalKey: key, bytes: progress.readTo, ...written });
      const replaced = progress.originalKey === null ? [] : [{ objectKey: progress.originalKey, bytes: 0 }];
      await insertObjectsToDelete(scope, deletionId, [...objects, ...replaced]);
      await countRewritten(scope, deletionId, progress.readTo);
      await countRemoved(scope, deletionId, { bytes });
      return true;
    });
    if (done) return 'rewritten';
    await blobs.delete(tenantId, key); // no other attempt has these keys
    for (const { objectKey } of rest) if (objectKey !== null) await blobs.delete(tenantId, objectKey);
  }
}

function isSame(now: ReadProgress, before: ReadProgress): boolean {
  return (
    now.readTo >= before.readTo &&
    now.originalKey === before.originalKey &&
    now.droppedBytes === before.droppedBytes &&
    now.rewrittenBytes === before.rewrittenBytes
  );
}

async function holds(source: FileSource, { readTo, parsedOffset }: ReadProgress, change: RecordChange): Promise<boolean> {
  const editor = new RecordEditor(change, parsedOffset);
  for await (const piece of readFileRange(source, { start: 0, end: readTo })) {
    editor.push(piece);
    if (editor.found) return true;
  }
  return false;
}

/**
 * Writes the object and reads it back. Returns the checksums of its content and of the received
 * bytes.
 */
async function writeRewritten(
  source: FileSource,
  key: string,
  { readTo, parsedOffset, rewrittenBytes, receivedCrc32c }: ReadProgress,
  change: RecordChange,
): Promise<{ readonly crc32c: number; readonly receivedCrc32c: number }> {
  const { blobs, tenantId } = source;
  let kept = 0;
  /** CRC-32C of the bytes that no earlier deletion has rewritten. They are still as received. */
  let fresh = 0;
  async function* pieces(): AsyncGenerator<Buffer> {
    kept = 0; // the store may start over
    fresh = 0;
    const editor = new RecordEditor(change, parsedOffset);
    let position = 0;
    let bytes = 0;
    for await (const piece of readFileRange(source, { start: 0, end: readTo })) {
      fresh = crc32c(piece.subarray(Math.max(0, rewrittenBytes - position)), fresh);
      position += piece.length;
      const edited = editor.push(piece);
      kept = crc32c(edited, kept);
      bytes += edited.length;
      if (edited.length > 0) yield edited;
    }
    // Thrown before the last piece is written, so the object is never created.
    if (bytes !== readTo) throw new Error(`${readTo - bytes} bytes of file ${source.fileId} are not whole records, though they were read`);
  }
  await blobs.putStream(tenantId, key, () => encodeOriginal(pieces()));
  let crc = 0;
  let bytes = 0;
  const reader = await OriginalReader.open(blobs, tenantId, key);
  for await (const piece of reader.read({ start: 0, end: readTo })) {
    crc = crc32c(piece, crc);
    bytes += piece.length;
  }
  if (bytes !== readTo || crc !== kept) throw new OriginalDamaged(`${key} does not contain the bytes that were written`);
  return { crc32c: kept, receivedCrc32c: combineCrc32c(receivedCrc32c ?? 0, fresh, readTo - rewrittenBytes) };
}
