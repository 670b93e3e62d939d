import type { BlobStore } from '#blobs';
import type { ExperimentId, FileId } from '#model';
import { dropOriginal } from '#originals';
import {
  claimDeletion,
  finishDeletion,
  isTransient,
  leaveRun,
  listExperimentIds,
  listRunIds,
  noteDeletionFailure,
  readOldOriginals,
  removeExperimentRow,
  removeWorkspaceRows,
  renewDeletion,
  tombstoneExperiments,
  type ClaimedDeletion,
  type Store,
  type WaitingDeletion,
} from '#store';
import { failpoint } from '#telemetry';
import { removeExports } from '../exports/remove-exports.ts';
import { Lease } from './lease.ts';
import { removeEveryObject, removeObjects } from './remove-objects.ts';
import { removeRunPoints } from './remove-points.ts';
import { type DeletionPlace, removeRunRows } from './remove-run-rows.ts';

/**
 * `done`: nothing is left. `waiting`: pending bytes must be ingested first. `taken`: another worker
 * has claimed the deletion, or it is already done.
 */
export type DeletionOutcome = 'done' | 'waiting' | 'taken';

/** Settings for a worker that runs a deletion. */
export interface DeletionBounds {
  /** Duration of the lease without renewal. */
  readonly leaseMs: number;
  /** Delay before a deletion that is waiting or has failed is retried. */
  readonly retryMs: number;
  /** Maximum rows that one transaction removes, and maximum objects that it takes off the list. */
  readonly rowsAtOnce: number;
}

const idsAtOnce = 100;

/**
 * Works on one deletion until it is done. Tombstones were set when the deletion was requested.
 * Bounded transactions then remove the rows, and each transaction lists the objects to which its
 * rows referred. Then the objects are removed, and finally the account row. Every step works on the
 * remaining data, so if a worker dies at any point, another one continues.
 */
export async function workOnDeletion(
  store: Store,
  blobs: BlobStore,
  { tenantId, deletionId }: WaitingDeletion,
  bounds: DeletionBounds,
): Promise<DeletionOutcome> {
  const deletion = await store.withTenant(tenantId, (scope) => claimDeletion(scope, deletionId, bounds.leaseMs));
  if (!deletion) return 'taken';
  const lease = new Lease(bounds.leaseMs, () => store.withTenant(tenantId, (scope) => renewDeletion(scope, deletionId, bounds.leaseMs)));
  const onProgress = async (): Promise<void> => {
    await failpoint('after-deletion-step');
  };
  const place = { store, tenantId, deletionId, rowsAtOnce: bounds.rowsAtOnce, onProgress };
  try {
    const outcome = await removeAll(place, blobs, deletion);
    await removeObjects(place, blobs);
    if (deletion.experimentId !== null) await removeExports(store, blobs, tenantId);
    if (outcome === 'waiting') {
      await lease.end();
      await store.withTenant(tenantId, (scope) => renewDeletion(scope, deletionId, bounds.retryMs));
      return 'waiting';
    }
    // Repeated now that nothing can be added: writers that were still running when the account row
    // was removed may have left objects behind.
    if (deletion.kind === 'workspace') await removeEveryObject(place, blobs);
    await store.withTenant(tenantId, (scope) => finishDeletion(scope, deletionId));
    return 'done';
  } catch (error) {
    await lease.end();
    const message = error instanceof Error ? error.name : 'unknown'; // a message may name deleted data
    try {
      await store.withTenant(tenantId, (scope) => noteDeletionFailure(scope, deletionId, message, bounds.retryMs));
    } catch (unnoted) {
      // If the database is down, the deletion is found again when the lease expires.
      if (!isTransient(unnoted))
        throw new AggregateError([error, unnoted], 'a deletion failed, and the failure could not be recorded', { cause: unnoted });
    }
    throw error;
  } finally {
    await lease.end();
  }
}

async function removeAll(place: DeletionPlace, blobs: BlobStore, deletion: ClaimedDeletion): Promise<'done' | 'waiting'> {
  switch (deletion.kind) {
    case 'workspace':
      await removeWorkspace(place, blobs);
      return 'done';
    case 'experiment':
      await removeExperiment(place, deletion.experimentId!);
      return 'done';
    case 'runs':
      for (const runId of deletion.runIds ?? []) {
        await removeRunRows(place, deletion.experimentId!, runId);
        await place.store.withTenant(place.tenantId, (scope) => leaveRun(scope, place.deletionId, runId));
      }
      return 'done';
    case 'points':
      return removePoints(place, blobs, deletion);
    case 'originals':
      await removeOldOriginals(place, blobs);
      return 'done';
  }
}

async function removePoints(place: DeletionPlace, blobs: BlobStore, deletion: ClaimedDeletion): Promise<'done' | 'waiting'> {
  let outcome: 'done' | 'waiting' = 'done';
  await forEachAlone(deletion.runIds ?? [], async (runId) => {
    // A waiting run does not delay the others.
    if ((await removeRunPoints(place, blobs, deletion, deletion.experimentId!, runId)) === 'waiting') outcome = 'waiting';
  });
  return outcome;
}

async function removeExperiment(place: DeletionPlace, experimentId: ExperimentId): Promise<void> {
  const { store, tenantId } = place;
  for (;;) {
    const runIds = await store.withTenant(tenantId, (scope) => listRunIds(scope, experimentId, idsAtOnce), { readOnly: true });
    for (const runId of runIds) await removeRunRows(place, experimentId, runId);
    if (runIds.length === 0 && (await store.withTenant(tenantId, (scope) => removeExperimentRow(scope, experimentId)))) return;
  }
}

/**
 * The account row is removed last, after all objects: it identifies the owner as long as anything
 * of the workspace is left.
 */
async function removeWorkspace(place: DeletionPlace, blobs: BlobStore): Promise<void> {
  const { store, tenantId } = place;
  for (;;) {
    await store.withTenant(tenantId, (scope) => tombstoneExperiments(scope));
    const ids = await store.withTenant(tenantId, (scope) => listExperimentIds(scope, idsAtOnce), { readOnly: true });
    for (const experimentId of ids) await removeExperiment(place, experimentId);
    if (ids.length > 0) continue;
    await removeObjects(place, blobs);
    await removeEveryObject(place, blobs);
    const gone = await store.withTenant(tenantId, (scope) => removeWorkspaceRows(scope));
    await place.onProgress();
    if (gone) return;
  }
}

async function removeOldOriginals(place: DeletionPlace, blobs: BlobStore): Promise<void> {
  const { store, tenantId, deletionId, onProgress } = place;
  await forEachAlone(oldOriginals(place), async (fileId) => {
    await dropOriginal(store, blobs, tenantId, fileId, deletionId);
    await onProgress();
  });
}

/** The ids of files with originals that are older than the workspace's retention period. */
async function* oldOriginals({ store, tenantId }: DeletionPlace): AsyncGenerator<FileId> {
  let after: FileId | null | undefined = null;
  while (after !== undefined) {
    const from: FileId | null = after;
    const fileIds: readonly FileId[] = await store.withTenant(tenantId, (scope) => readOldOriginals(scope, from, idsAtOnce), {
      readOnly: true,
    });
    yield* fileIds;
    after = fileIds.at(-1);
  }
}

/**
 * Runs the work for each id. If the work for one id fails, for example because its original is
 * damaged, the others continue and the first error is thrown at the end. Errors that would affect
 * all ids are thrown immediately.
 */
async function forEachAlone<Id>(ids: Iterable<Id> | AsyncIterable<Id>, work: (id: Id) => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  for await (const id of ids) {
    try {
      await work(id);
    } catch (error) {
      if (isTransient(error)) throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
