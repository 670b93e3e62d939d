import { type RawBuilder, sql } from 'kysely';
import { type ExperimentId, parseTenantId, type RunId, type TenantId } from '#model';
import type { SweeperHandle } from '../../handles.ts';
import { isDistributed } from './is-distributed.ts';

/** A run with pending work for which the next attempt is due. */
export interface PendingRun {
  readonly tenantId: TenantId;
  readonly experimentId: ExperimentId;
  readonly runId: RunId;
}

/** One page of the ledger. `next` is where the next page begins, or null at the end. */
export interface PendingRuns {
  readonly runs: readonly PendingRun[];
  readonly next: PendingRun | null;
}

const beginning = { tenantId: parseTenantId('00000000-0000-0000-0000-000000000000'), experimentId: '', runId: '0' };

/**
 * The runs with pending segments among the `limit` runs that follow `after` in key order (null
 * means from the start). Reads all tenants without locks (role plotline_sweeper). `distributed` is
 * for tests; without it, the database is queried.
 */
export async function readPendingRuns(
  sweeper: SweeperHandle,
  after: PendingRun | null,
  limit: number,
  distributed?: boolean,
): Promise<PendingRuns> {
  const { tenantId, experimentId, runId } = after ?? beginning;
  const start = sql`(${tenantId}::uuid, ${experimentId}::text, ${runId}::bigint)`;
  const statement = (distributed ?? (await isDistributed(sweeper))) ? distinctPending(start, limit) : walkPending(start, limit);
  const { rows } = await statement.execute(sweeper);
  const found = rows.map((row) => ({ tenantId: row.tenant_id, experimentId: row.experiment_id, runId: row.run_id }));
  return { runs: found.filter((_, index) => rows[index]!.due), next: found.length < limit ? null : found.at(-1)! };
}

interface FoundRun {
  readonly tenant_id: TenantId;
  readonly experiment_id: ExperimentId;
  readonly run_id: RunId;
  readonly due: boolean;
}

/** Skips from run to run, so it takes as long with a thousand segments per run as with one. */
function walkPending(start: RawBuilder<unknown>, limit: number): RawBuilder<FoundRun> {
  return sql<FoundRun>`
    /* read-pending-runs */
    with recursive pending as (
      (select p.tenant_id, p.experiment_id, p.run_id, 1 as place from pending_segment p
        where (p.tenant_id, p.experiment_id, p.run_id) > ${start}
        order by p.tenant_id, p.experiment_id, p.run_id limit 1)
      union all
      select n.tenant_id, n.experiment_id, n.run_id, r.place + 1 from pending r, lateral (
        select p.tenant_id, p.experiment_id, p.run_id from pending_segment p
        where (p.tenant_id, p.experiment_id, p.run_id) > (r.tenant_id, r.experiment_id, r.run_id)
        order by p.tenant_id, p.experiment_id, p.run_id limit 1) n
      where r.place < ${limit}
    )
    select p.tenant_id, p.experiment_id, p.run_id, coalesce(w.retry_at <= now(), false) as due
    from pending p left join run_work w on w.tenant_id = p.tenant_id and w.run_id = p.run_id
    order by p.place`;
}

/**
 * The same query for databases that do not support recursion across all tenants. Reads every
 * pending segment.
 */
function distinctPending(start: RawBuilder<unknown>, limit: number): RawBuilder<FoundRun> {
  return sql<FoundRun>`
    /* read-pending-runs-distinct */
    select distinct p.tenant_id, p.experiment_id, p.run_id, coalesce(w.retry_at <= now(), false) as due
    from pending_segment p left join run_work w on w.tenant_id = p.tenant_id and w.run_id = p.run_id
    where (p.tenant_id, p.experiment_id, p.run_id) > ${start}
    order by p.tenant_id, p.experiment_id, p.run_id limit ${limit}`;
}

/**
 * At most `limit` runs that have a tail older than `maxTailAgeMs` or need the data rules reapplied.
 * Otherwise like {@link readPendingRuns}.
 */
export async function readRunsWithOldTails(sweeper: SweeperHandle, maxTailAgeMs: number, limit: number): Promise<PendingRun[]> {
  // A tail starts with number 1, even after its rows were merged, so an index on it has one row per
  // tail.
  const { rows } = await sql<{ tenant_id: TenantId; experiment_id: ExperimentId; run_id: RunId }>`
    /* read-runs-with-old-tails */
    select w.tenant_id, w.experiment_id, w.run_id
    from run_tail t
    join run_work w on w.tenant_id = t.tenant_id and w.run_id = t.run_id
    where w.retry_at <= now() and t.tail_no = 1 and t.part = 0 and t.created_at < now() - make_interval(secs => ${maxTailAgeMs / 1000})
    union
    select w.tenant_id, w.experiment_id, w.run_id from run_work w where w.remark and w.retry_at <= now()
    limit ${limit}`.execute(sweeper);
  return rows.map((row) => ({ tenantId: row.tenant_id, experimentId: row.experiment_id, runId: row.run_id }));
}
