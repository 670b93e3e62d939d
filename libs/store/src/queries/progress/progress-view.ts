import { sql } from 'kysely';
import type { ExperimentId, RunId } from '#model';
import { noProgress, runWorker, type WrittenBatch, type WrittenChange } from '#progress';
import type { TenantScope } from '../../scope.ts';

/** The publisher's saved state of an experiment; its row is locked until the transaction ends. */
export interface LockedView {
  readonly publishedEpoch: number;
  /** In saved form; read by `hearBatches`. */
  readonly changes: unknown;
  /** The experiment has a tombstone: nothing waits for it anymore. */
  readonly deleted: boolean;
  /** Approximate number of unprocessed batches, counted up to {@link batchesCounted}. */
  readonly waiting: number;
}

/** The limit of that count. */
export const batchesCounted = 5_001;

/**
 * If a publisher is silent for this long during its transaction, Postgres aborts it so that another
 * can use the view.
 */
const maxSilenceMs = 1_000;

/** Creates the view of a new experiment, in which nothing was acknowledged. */
export async function insertProgressView({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<void> {
  await sql`/* insert-progress-view */ insert into progress_view (tenant_id, experiment_id, changes)
    values (${tenantId}, ${experimentId}, ${JSON.stringify(noProgress)}::json)`.execute(trx);
}

/**
 * Creates a missing view, which must then be rebuilt. False: there is one, or there is no such
 * experiment. Without a view, readers get the frontier that follows from the ledger. So nothing may
 * settle anywhere until the transaction ends; otherwise the frontier that readers see would go
 * back. All writers wait for it, so it is brief: if the lock is not available at once, it fails and
 * is retried later (like any lock error), and a caller that stalls while holding the lock loses it.
 */
export async function insertLostView({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<boolean> {
  const { rows: lost } = await sql`/* insert-lost-view-experiment */
    select 1 from experiment e where e.tenant_id = ${tenantId} and e.experiment_id = ${experimentId}
    and not exists (select from progress_view v where v.tenant_id = ${tenantId} and v.experiment_id = ${experimentId})`.execute(trx);
  if (lost.length === 0) return false;
  await sql`/* bound-lost-view */
    select set_config('lock_timeout', '100', true), set_config('idle_in_transaction_session_timeout', ${String(maxSilenceMs)}, true)`.execute(
    trx,
  );
  await sql`/* lock-progress-batches */ lock table progress_batch in share row exclusive mode`.execute(trx);
  const { rows } = await sql`/* insert-lost-view-progress-view */ insert into progress_view (tenant_id, experiment_id, changes)
    select e.tenant_id, e.experiment_id, '[]'::json from experiment e where e.tenant_id = ${tenantId} and e.experiment_id = ${experimentId}
    on conflict (tenant_id, experiment_id) do nothing returning 1`.execute(trx);
  return rows.length > 0;
}

/**
 * Null: there is no view, or another publisher has it. The transaction is aborted if it is idle for
 * a second. What a separate statement reads afterwards is the state that earlier publishers left.
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

/**
 * Removes all batches from the channel, each with the last number of its worker that was applied
 * before (0: none).
 */
export async function takeBatches(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
): Promise<(WrittenBatch & { readonly heard: number })[]> {
  const { rows } = await sql<{ worker: string; number: string; changes: unknown; heard: string }>`/* prepared: take-batches */
    with taken as (
      delete from progress_batch where tenant_id = ${tenantId} and experiment_id = ${experimentId} returning worker, number, changes)
    select t.worker, t.number, t.changes, coalesce(h.number, 0) as heard from taken t
    left join progress_heard h on h.tenant_id = ${tenantId} and h.experiment_id = ${experimentId} and h.worker = t.worker`.execute(trx);
  return rows.map(({ worker, number, changes, heard }) => ({ worker, number: Number(number), changes, heard: Number(heard) }));
}

/** The ledger of an experiment at one moment, and the batches that led to it. */
export interface LedgerState {
  readonly acknowledgedEpoch: number;
  /** Segments that are pending, by epoch. */
  readonly pending: readonly (readonly [epoch: number, segments: number])[];
  /** The last number that each run's worker has assigned. */
  readonly numbers: ReadonlyMap<string, number>;
}

/**
 * Reads the ledger, and removes from the channel the batches that led to it, in one statement and
 * so at one moment: either both a batch and its effect are visible, or neither. Null: there is no
 * such experiment.
 */
export async function takeLedgerState({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<LedgerState | null> {
  const { rows } = await sql<{ acknowledged_epoch: string; pending: [number, number][]; runs: [RunId, number][] }>`
    /* take-ledger-state */
    with taken as (delete from progress_batch where tenant_id = ${tenantId} and experiment_id = ${experimentId} returning 1)
    select a.acknowledged_epoch,
      (select coalesce(json_agg(json_build_array(p.epoch, p.segments)), '[]') from (
        select s.epoch, count(*) as segments from pending_segment s
        where s.tenant_id = ${tenantId} and s.experiment_id = ${experimentId} group by s.epoch) p) as pending,
      (select coalesce(json_agg(json_build_array(w.run_id::text, w.progress_number)), '[]')
        from run r join run_work w on w.tenant_id = ${tenantId} and w.run_id = r.run_id
        where r.tenant_id = ${tenantId} and r.experiment_id = ${experimentId} and w.progress_number > 0) as runs
    from experiment_epoch a where a.tenant_id = ${tenantId} and a.experiment_id = ${experimentId}`.execute(trx);
  const row = rows[0];
  if (!row) return null;
  return {
    acknowledgedEpoch: Number(row.acknowledged_epoch),
    pending: row.pending,
    numbers: new Map(row.runs.map(([runId, number]) => [runWorker(runId), number])),
  };
}

/** Removes all batches of an experiment whose channel is no longer read. */
export async function dropBatches({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<void> {
  await sql`/* drop-batches */ delete from progress_batch where tenant_id = ${tenantId} and experiment_id = ${experimentId}`.execute(trx);
}

/** Forgets the last numbers of all workers except these. */
export async function forgetWorkers({ trx, tenantId }: TenantScope, experimentId: ExperimentId, except: readonly string[]): Promise<void> {
  await sql`/* forget-workers */ delete from progress_heard
    where tenant_id = ${tenantId} and experiment_id = ${experimentId} and worker <> all(${[...except]}::text[])`.execute(trx);
}

/**
 * Saves a locked view, and the last numbers of the workers that sent batches. Updates first instead
 * of using `on conflict`, which would log a lock for each row.
 */
export async function saveProgressView(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  state: {
    readonly publishedEpoch: number;
    readonly changes: readonly WrittenChange[];
    readonly outstanding: boolean;
    readonly numbers: ReadonlyMap<string, number>;
  },
): Promise<void> {
  await sql`/* prepared: save-progress-view */
    with saved as (
      update progress_view set published_epoch = ${state.publishedEpoch}, changes = ${JSON.stringify(state.changes)}::json,
        outstanding = ${state.outstanding}, heard_at = now()
      where tenant_id = ${tenantId} and experiment_id = ${experimentId}),
    heard as (
      select worker, number from unnest(${[...state.numbers.keys()]}::text[], ${[...state.numbers.values()].map(String)}::bigint[]) as u(worker, number)),
    known as (
      update progress_heard h set number = heard.number from heard
      where h.tenant_id = ${tenantId} and h.experiment_id = ${experimentId} and h.worker = heard.worker returning h.worker)
    insert into progress_heard (tenant_id, experiment_id, worker, number)
    select ${tenantId}::uuid, ${experimentId}::text, worker, number from heard where worker not in (select worker from known)
    returning 1`.execute(trx);
}
