import type { BlobStore } from '#blobs';
import { dropOriginal, OriginalDamaged, type RecordChange, rewriteOriginal } from '#originals';
import { ValueRemover } from '#points';
import { type ClaimedDeletion, nameHash, type RunFile } from '#store';
import type { DeletionPlace } from './remove-run-rows.ts';

/**
 * Removes the points of a deletion from the stored bytes of a file, if it has any of these points.
 * If the stored bytes cannot be read, or the first bytes are not kept, the content is unknown, so
 * everything that was read from the file is removed. `names`: the deleted tags, as records encode
 * them.
 */
export async function removeFromOriginals(
  { store, tenantId, deletionId }: DeletionPlace,
  blobs: BlobStore,
  deletion: ClaimedDeletion,
  { fileId, quarantined, unverifiedRecords }: Pick<RunFile, 'fileId' | 'quarantined' | 'unverifiedRecords'>,
  names: readonly Buffer[],
): Promise<void> {
  const change = { remove: removerOf(deletion), names, unread: quarantined, unverified: unverifiedRecords };
  try {
    if ((await rewriteOriginal(store, blobs, tenantId, fileId, { deletionId, change })) !== 'nothing-to-do') return;
  } catch (error) {
    if (!(error instanceof OriginalDamaged)) throw error;
  }
  await dropOriginal(store, blobs, tenantId, fileId, deletionId);
}

function removerOf({ tagHashes, fromStep, toStep }: ClaimedDeletion): RecordChange['remove'] {
  const hashes = tagHashes && new Set(tagHashes.map((hash) => hash.toString('hex')));
  const known = new Map<string, boolean>();
  const isNamed = (tag: string): boolean => {
    if (hashes === null) return true;
    let named = known.get(tag);
    if (named === undefined) known.set(tag, (named = hashes.has(nameHash(tag).toString('hex'))));
    return named;
  };
  const remover = new ValueRemover(
    (tag, step) => (fromStep === null || step >= fromStep) && (toStep === null || step <= toStep) && isNamed(tag),
  );
  return (buf, start, end) => remover.remove(buf, start, end);
}
