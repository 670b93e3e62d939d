import { sql, type Kysely } from 'kysely';
import type { Database } from '../../database.ts';

/** A run that has something to do and whose next try is due. */
export interface PendingRun {
  readonly tenantId: string;
  readonly experimentId: string;
  readonly runId: string;
}

/**
 * At most `limit` runs with pending segments, those that wait longest first, and as many with a tail older than `maxTailAgeMs`; over
 * all tenants and without locks (role plotline_sweeper).
 */
export async function readPendingRuns(sweeper: Kysely<Database>, limit: number, maxTailAgeMs: number): Promise<PendingRun[]> {
  const { rows } = await sql<{ tenant_id: string; experiment_id: string; run_id: string }>`
    (select p.tenant_id, p.experiment_id, p.run_id
    from pending_segment p
    join run_work w on w.tenant_id = p.tenant_id and w.run_id = p.run_id
    where w.retry_at <= now()
    group by p.tenant_id, p.experiment_id, p.run_id
    order by min(p.received_at)
    limit ${limit})
    union
    (select w.tenant_id, w.experiment_id, w.run_id
    from run_tail t
    join run_work w on w.tenant_id = t.tenant_id and w.run_id = t.run_id
    where w.retry_at <= now() and t.created_at < now() - make_interval(secs => ${maxTailAgeMs / 1000})
    limit ${limit})`.execute(sweeper);
  return rows.map((row) => ({ tenantId: row.tenant_id, experimentId: row.experiment_id, runId: row.run_id }));
}
