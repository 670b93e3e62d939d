import type { ExperimentId, RunId, SeriesId, TenantId } from '#model';
import {
  addStoredBytes,
  countRemoved,
  insertObjectsToDelete,
  listDoomedSeries,
  listRunFileIds,
  lockRun,
  removeChunks,
  removeFiles,
  removePendingSegments,
  type RemovedRows,
  removeRun,
  removeSegments,
  removeSeries,
  removeValues,
  type Store,
  subtractRunUsage,
  type TenantScope,
} from '#store';

/** The context for the steps of a deletion. */
export interface DeletionPlace {
  readonly store: Store;
  readonly tenantId: TenantId;
  readonly deletionId: string;
  /** Maximum rows removed per transaction. */
  readonly rowsAtOnce: number;
  /** Called after each step; a step is one transaction. */
  readonly onProgress: () => Promise<void>;
}

/**
 * Removes all data of a run that has a tombstone, in steps. Each step is one transaction and works
 * on the remaining data, so the removal can be interrupted at any point and resumed. The
 * transaction that removes rows also lists the objects to which they refer.
 */
export async function removeRunRows(place: DeletionPlace, experimentId: ExperimentId, runId: RunId): Promise<void> {
  const { store, tenantId, deletionId, onProgress } = place;
  await store.withTenant(tenantId, async (scope) => {
    // A worker that claimed the run before the tombstone was set finishes first; after that, no
    // worker claims the run.
    await lockRun(scope, runId);
    await removePendingSegments(scope, experimentId, runId);
  });
  for (;;) {
    await removeAllSeries(place, runId);
    await removeAllFiles(place, experimentId, runId);
    const removed = await store.withTenant(tenantId, async (scope) => {
      const tail = await removeRun(scope, experimentId, runId);
      if (tail) await countRemoved(scope, deletionId, { runs: 1, ...tail });
      return tail !== null;
    });
    await onProgress();
    if (removed) return;
  }
}

async function removeAllSeries(place: DeletionPlace, runId: RunId): Promise<void> {
  const { store, tenantId } = place;
  for (;;) {
    const series = await store.withTenant(tenantId, (scope) => listDoomedSeries(scope, runId, null, place.rowsAtOnce), { readOnly: true });
    if (series.length === 0) return;
    await removeSeriesWithPoints(
      place,
      runId,
      series.map(({ seriesId }) => seriesId),
    );
  }
}

/** Removes these series with all of their points. */
export async function removeSeriesWithPoints(place: DeletionPlace, runId: RunId, seriesIds: readonly SeriesId[]): Promise<void> {
  const { store, tenantId, deletionId } = place;
  const points = { seriesIds, fromStep: null, toStep: null };
  await removeInSteps(place, { runId }, (scope) => removeChunks(scope, seriesIds, place.rowsAtOnce));
  for (const table of ['tensor_value', 'blob_sequence_value'] as const)
    await removeInSteps(place, { runId }, (scope) => removeValues(scope, table, points, place.rowsAtOnce));
  await store.withTenant(tenantId, async (scope) => {
    const gone = await removeSeries(scope, seriesIds);
    await subtractRunUsage(scope, runId, { series: gone });
    await countRemoved(scope, deletionId, { series: gone });
  });
  await place.onProgress();
}

/**
 * The owner of the usage that a removal reduces. Points and values count per run, stored bytes of
 * files per experiment.
 */
export type UsageOwner = { readonly runId: RunId } | { readonly experimentId: ExperimentId };

/**
 * Repeats a removal until it finds nothing more. Each repetition is one transaction, which also
 * counts what it removed, reduces usage, and lists objects.
 */
export async function removeInSteps(
  place: DeletionPlace,
  owner: UsageOwner,
  remove: (scope: TenantScope) => Promise<RemovedRows>,
): Promise<void> {
  const { store, tenantId, deletionId, onProgress } = place;
  for (;;) {
    const rows = await store.withTenant(tenantId, async (scope) => {
      const removed = await remove(scope);
      await insertObjectsToDelete(scope, deletionId, removed.objects);
      if ('runId' in owner) await subtractRunUsage(scope, owner.runId, removed);
      else await addStoredBytes(scope, owner.experimentId, -removed.keptBytes);
      await countRemoved(scope, deletionId, { points: removed.points, bytes: removed.bytes });
      return removed.rows;
    });
    if (rows === 0) return;
    await onProgress();
  }
}

async function removeAllFiles(place: DeletionPlace, experimentId: ExperimentId, runId: RunId): Promise<void> {
  const { store, tenantId, deletionId, onProgress } = place;
  for (;;) {
    const fileIds = await store.withTenant(tenantId, (scope) => listRunFileIds(scope, runId, place.rowsAtOnce), { readOnly: true });
    if (fileIds.length === 0) return;
    await removeInSteps(place, { experimentId }, (scope) => removeSegments(scope, fileIds, place.rowsAtOnce));
    await store.withTenant(tenantId, async (scope) => {
      const files = await removeFiles(scope, experimentId, fileIds);
      const originals = files.flatMap(({ originalKey }) => (originalKey === null ? [] : [{ objectKey: originalKey, bytes: 0 }]));
      await insertObjectsToDelete(scope, deletionId, originals);
      await countRemoved(scope, deletionId, { files: files.length });
    });
    await onProgress();
  }
}
