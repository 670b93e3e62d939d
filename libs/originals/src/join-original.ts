import { createHash } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import { type BlobStore, newAttempt, originalBytes, originalKey } from '#blobs';
import type { FileId, TenantId } from '#model';
import {
  deleteSegmentsBefore,
  hasPendingSegments,
  hasUnreadBytes,
  type LedgerFile,
  lockFiles,
  readFile,
  readSegments,
  setOriginal,
  type Store,
  type AnyScope,
} from '#store';
import { failpoint } from '#telemetry';
import { encodeOriginal } from './encode-original.ts';
import { keptCrc32c } from './kept-crc32c.ts';
import { OriginalDamaged } from './original-index.ts';
import { OriginalReader } from './original-reader.ts';
import { type FileSource, readFileRange } from './read-file-range.ts';

/**
 * `joined`: the file's bytes are now in one object. `not-ready`: the file is incomplete, or some of
 * its bytes are pending. `nothing-to-do`: there are no segments, or the file was deleted.
 * `changed`: bytes were added during the join; the file will be joined when it is complete again.
 */
export type JoinOutcome = 'joined' | 'not-ready' | 'nothing-to-do' | 'changed';

/**
 * Joins the segments of a complete file into one compressed object. A crash is safe after each
 * step: write the object; read it back and compare checksums; in one transaction, make the file
 * point to it and remove the segments' rows; delete the segments' objects. Idempotent, even
 * concurrently. Uses bounded memory for files of any size.
 */
export async function joinOriginal(store: Store, blobs: BlobStore, tenantId: TenantId, fileId: FileId): Promise<JoinOutcome> {
  const inTenant: FileSource['inTenant'] = (work) => store.withTenant(tenantId, work, { readOnly: true });
  const file = await inTenant((scope) => readFile(scope, fileId));
  if (!file || file.experimentDeleted || file.runDeleted) return 'nothing-to-do';
  const ready = await inTenant((scope) => check(scope, file));
  if (ready !== 'ready') return ready;

  const bytes = file.durableOffset;
  const key = originalKey(fileId, bytes, newAttempt());
  const sha256 = await writeObject({ inTenant, blobs, tenantId, fileId }, key, file);
  await failpoint('after-original-put');
  await readBack(blobs, tenantId, key, file);

  const replaced = await store.withTenant(tenantId, async (scope) => {
    const [locked] = await lockFiles(scope, [fileId]);
    if (!locked || locked.durableOffset !== bytes || keptCrc32c(locked) !== keptCrc32c(file) || (await check(scope, locked)) !== 'ready')
      return null;
    await setOriginal(scope, fileId, key, bytes, locked.rewrittenBytes > 0 ? null : sha256);
    const segmentKeys = await deleteSegmentsBefore(scope, fileId, bytes);
    return [...segmentKeys, ...(locked.originalKey === null || locked.originalKey === key ? [] : [locked.originalKey])];
  });
  if (replaced === null) {
    const now = await inTenant((scope) => readFile(scope, fileId));
    await blobs.delete(tenantId, key); // no other attempt has this key
    const faster = now?.originalKey ?? null;
    return faster !== null && originalBytes(faster) >= bytes ? 'joined' : 'changed';
  }
  await failpoint('after-original-commit');
  // A reader with an older state of the ledger may still need these objects. If they are missing,
  // it reads the ledger again.
  for (const replacedKey of replaced) await blobs.delete(tenantId, replacedKey);
  return 'joined';
}

/**
 * While the file's row is locked, the result remains valid, because appending, completing and
 * joining all lock it.
 */
async function check(scope: AnyScope, file: LedgerFile): Promise<'ready' | JoinOutcome> {
  if (file.droppedBytes > 0) return 'nothing-to-do'; // the remaining bytes could not be read from their start
  if (file.completedBytes === null || file.completedBytes !== file.durableOffset) return 'not-ready';
  if (await hasPendingSegments(scope, file)) return 'not-ready';
  if (await hasUnreadBytes(scope, file.fileId)) return 'nothing-to-do'; // its segments remain unchanged, so that they can be repaired
  const [segment] = await readSegments(scope, file.fileId, { start: 0, end: file.durableOffset }, 1);
  return segment ? 'ready' : 'nothing-to-do';
}

async function writeObject(source: FileSource, key: string, file: LedgerFile): Promise<Buffer> {
  let sha256 = createHash('sha256');
  async function* pieces(): AsyncGenerator<Buffer> {
    sha256 = createHash('sha256'); // the store may start over
    let crc = 0;
    for await (const piece of readFileRange(source, { start: 0, end: file.durableOffset })) {
      sha256.update(piece);
      crc = crc32c(piece, crc);
      yield piece;
    }
    // Thrown before the last piece is written, so the object is never created.
    if (crc !== keptCrc32c(file)) throw new OriginalDamaged(`the segments of file ${file.fileId} do not match its checksum`);
  }
  await source.blobs.putStream(source.tenantId, key, () => encodeOriginal(pieces()));
  return sha256.digest();
}

async function readBack(blobs: BlobStore, tenantId: TenantId, key: string, file: LedgerFile): Promise<void> {
  const reader = await OriginalReader.open(blobs, tenantId, key);
  let crc = 0;
  let bytes = 0;
  for await (const piece of reader.read({ start: 0, end: file.durableOffset })) {
    crc = crc32c(piece, crc);
    bytes += piece.length;
  }
  if (bytes !== file.durableOffset || crc !== keptCrc32c(file))
    throw new OriginalDamaged(`${key} does not contain the bytes that were joined`);
}
