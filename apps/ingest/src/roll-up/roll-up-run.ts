import type { IngestRun } from '#jobs';
import { claimRun, listSeriesToRollUp, rollUpSeries, settleSeriesToRollUp, type Store } from '#store';

/** How much one transaction rolls up. */
export interface RollUpBounds {
  readonly seriesAtOnce: number;
  /** Rows of level 1, each of which is built from 8 chunks. */
  readonly rowsAtOnce: number;
}

/**
 * `more`: chunks are left. `busy`: another worker has claimed the run, or the run was removed. The
 * next worker that finds the run in the queue continues.
 */
export type RolledUp = 'done' | 'more' | 'busy';

/** A transaction takes a few milliseconds, during which new data of the run waits. */
export const rollUpBounds: RollUpBounds = { seriesAtOnce: 64, rowsAtOnce: 64 };

/**
 * Rolls up chunks of one run in one short transaction, which locks the run as ingest does. All
 * levels are rolled up together, so after a crash no level lags behind.
 */
export async function rollUpRun(store: Store, { tenantId, runId }: IngestRun, bounds: RollUpBounds = rollUpBounds): Promise<RolledUp> {
  return store.withIngest<RolledUp>(tenantId, async (ingest) => {
    if (!(await claimRun(ingest, runId))) return 'busy';
    const series = await listSeriesToRollUp(ingest, runId, bounds.seriesAtOnce);
    if (series.length === 0) return 'done';
    const rows = Math.max(1, Math.floor(bounds.rowsAtOnce / series.length));
    const made = await rollUpSeries(ingest, series, rows);
    const settled = series.filter((seriesId) => (made.get(seriesId) ?? 0) < rows);
    await settleSeriesToRollUp(ingest, runId, settled);
    return settled.length === series.length && series.length < bounds.seriesAtOnce ? 'done' : 'more';
  });
}
