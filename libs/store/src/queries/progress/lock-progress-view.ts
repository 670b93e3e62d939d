import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * An experiment's state as saved by the publisher. The row is locked until the transaction ends.
 */
export interface LockedView {
  readonly publishedEpoch: number;
  /** The saved form of the changes, which `hearBatches` reads. */
  readonly changes: unknown;
  /** Whether the experiment has a tombstone, so that nothing waits for it anymore. */
  readonly deleted: boolean;
  /** Approximate number of unprocessed batches, counted up to {@link batchesCounted}. */
  readonly waiting: number;
}

/** The limit of `LockedView.waiting`. */
export const batchesCounted = 5_001;

/**
 * If a publisher is silent for this long during its transaction, Postgres aborts the transaction so
 * that another publisher can use the view.
 */
export const maxSilenceMs = 1_000;

/**
 * Locks the view. Returns null if there is no view or if another publisher has it. The transaction
 * is aborted if it is idle for a second. A separate statement after the lock reads the state that
 * earlier publishers saved.
 */
export async function lockProgressView({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<LockedView | null> {
  const { rows } = await sql<{
    published_epoch: string;
    changes: unknown;
    deleted: boolean;
    waiting: string;
    set_config: string;
  }>`/* prepared: lock-progress-view */
    select v.published_epoch, v.changes, e.deleted_at is not null as deleted,
      (select count(*) from (
        select from progress_batch b where b.tenant_id = ${tenantId} and b.experiment_id = ${experimentId} limit ${batchesCounted}) n) as waiting,
      set_config('idle_in_transaction_session_timeout', ${String(maxSilenceMs)}, true)
    from progress_view v
    join experiment e on e.tenant_id = ${tenantId} and e.experiment_id = v.experiment_id
    where v.tenant_id = ${tenantId} and v.experiment_id = ${experimentId}
    for update of v skip locked`.execute(trx);
  const row = rows[0];
  if (!row) return null;
  return { publishedEpoch: Number(row.published_epoch), changes: row.changes, deleted: row.deleted, waiting: Number(row.waiting) };
}
