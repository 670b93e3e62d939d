import { sql } from 'kysely';
import type { ExperimentId, TenantId } from '#model';
import type { SweeperHandle } from '../../handles.ts';

/** A citation whose digest no worker is computing. */
export interface WaitingCitation {
  readonly tenantId: TenantId;
  readonly experimentId: ExperimentId;
}

/**
 * The oldest citation without a digest in each workspace where no worker has claimed one. So only
 * one citation of a workspace is processed at a time. Citations that were claimed `maxAttempts`
 * times are skipped. Reads all tenants without locks (role plotline_sweeper).
 */
export async function readWaitingCitations(sweeper: SweeperHandle, limit: number, maxAttempts: number): Promise<WaitingCitation[]> {
  const { rows } = await sql<{ tenant_id: TenantId; experiment_id: ExperimentId }>`/* read-waiting-citations */
    select distinct on (c.tenant_id) c.tenant_id, c.experiment_id from citation c
    where c.digest is null and c.worker_until <= now() and c.attempts < ${maxAttempts}
      and not exists (select 1 from citation b where b.tenant_id = c.tenant_id and b.digest is null and b.worker_until > now())
    order by c.tenant_id, c.created_at limit ${limit}`.execute(sweeper);
  return rows.map((row) => ({ tenantId: row.tenant_id, experimentId: row.experiment_id }));
}
