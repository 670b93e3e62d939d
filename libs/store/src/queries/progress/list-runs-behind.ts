import { sql } from 'kysely';
import type { ExperimentId, RunName } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Why a run is behind. `failing`: the last attempt failed. `deletion`: a deletion of its points
 * goes first. `working`: a worker is ingesting it now (if this takes long, the worker is slow or
 * hangs; Postgres aborts a worker that is silent for 30 s). `waiting`: no worker has claimed it
 * yet.
 */
export type WhyBehind = 'failing' | 'deletion' | 'working' | 'waiting';

/** A run with acknowledged bytes that are not visible yet. */
export interface RunBehind {
  readonly run: RunName;
  /** When the oldest of these bytes arrived, by the database's clock. */
  readonly since: Date;
  readonly bytes: number;
  readonly why: WhyBehind;
  /** Consecutive failed attempts. */
  readonly failures: number;
  readonly lastError: string | null;
  readonly nextTryAt: Date | null;
}

/**
 * At most `limit` of an experiment's runs that are behind, starting with those that have been
 * behind longest. Includes runs without a readable event. A worker has a run if the transaction
 * that last locked its row in `run_work` (xmax) is running. A running transaction holds the lock on
 * its own id.
 */
export async function listRunsBehind({ trx, tenantId }: TenantScope, experimentId: ExperimentId, limit: number): Promise<RunBehind[]> {
  const { rows } = await sql<Row>`
    /* list-runs-behind */
    select r.name, p.since, p.bytes, w.failures, w.last_error, w.held_by is not null as held,
      case when w.retry_at > now() then w.retry_at end as next_try_at,
      exists (select from pg_locks l where l.locktype = 'transactionid' and l.granted and l.transactionid = w.xmax) as working
    from (
      select s.run_id, min(s.received_at) as since, sum(s.length) as bytes from pending_segment s
      where s.tenant_id = ${tenantId} and s.experiment_id = ${experimentId}
      group by s.run_id order by since, s.run_id limit ${limit}
    ) p
    join run r on r.tenant_id = ${tenantId} and r.run_id = p.run_id and r.deleted_at is null
    join run_work w on w.tenant_id = ${tenantId} and w.run_id = p.run_id
    order by p.since, p.run_id`.execute(trx);
  return rows.map((row) => ({
    run: row.name,
    since: row.since,
    bytes: Number(row.bytes),
    why: row.held ? 'deletion' : row.last_error !== null ? 'failing' : row.working ? 'working' : 'waiting',
    failures: row.failures,
    lastError: row.last_error,
    nextTryAt: row.next_try_at,
  }));
}

interface Row {
  name: RunName;
  since: Date;
  bytes: string;
  failures: number;
  last_error: string | null;
  held: boolean;
  next_try_at: Date | null;
  working: boolean;
}
