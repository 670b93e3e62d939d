import type { SeriesId } from '#model';
import { type IngestScope, noteSeriesToRollUp, refreshScalarStats, rollupRatio } from '#store';

/** An ingest transaction, with the scalar series whose summaries must be recomputed. */
export interface ScalarIngest {
  readonly scope: IngestScope;
  readonly stats: ScalarStats;
}

/**
 * The scalar series whose chunks a transaction has changed. Their summaries are recomputed only
 * once, before they are read or the transaction ends, because a run with many small files changes
 * the same series with each file.
 */
export class ScalarStats {
  readonly #scope: IngestScope;
  readonly #changed = new Set<SeriesId>();

  constructor(scope: IngestScope) {
    this.#scope = scope;
  }

  note(seriesIds: readonly SeriesId[]): void {
    for (const id of seriesIds) this.#changed.add(id);
  }

  /** Recomputes the collected series. Queues those that have enough chunks to roll up. */
  async write(): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    await noteSeriesToRollUp(this.#scope, await refreshScalarStats(this.#scope, changed, rollupRatio));
  }
}
