import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { SweeperHandle } from '../../handles.ts';

/** An export that no worker has claimed. */
export interface WaitingExport {
  readonly tenantId: TenantId;
  readonly exportId: string;
}

/**
 * The oldest unclaimed export in each workspace where no worker has claimed one, oldest first. So
 * only one export of a workspace is processed at a time. Reads all tenants without locks (role
 * plotline_sweeper).
 */
export async function readWaitingExports(sweeper: SweeperHandle, limit: number): Promise<WaitingExport[]> {
  const { rows } = await sql<{ tenant_id: TenantId; export_id: string }>`/* read-waiting-exports */
    select distinct on (j.tenant_id) j.tenant_id, j.export_id from export_job j
    where j.state in ('queued', 'running') and j.worker_until <= now() and (j.expires_at is null or j.expires_at > now())
      and not exists (select 1 from export_job b where b.tenant_id = j.tenant_id and b.state = 'running' and b.worker_until > now()
        and (b.expires_at is null or b.expires_at > now()))
    order by j.tenant_id, j.requested_at limit ${limit}`.execute(sweeper);
  return rows.map((row) => ({ tenantId: row.tenant_id, exportId: row.export_id }));
}

/** Workspaces with expired exports. Reads all tenants without locks (role plotline_sweeper). */
export async function readTenantsWithExpiredExports(sweeper: SweeperHandle, limit: number): Promise<TenantId[]> {
  const { rows } = await sql<{ tenant_id: TenantId }>`/* read-tenants-with-expired-exports */
    select distinct tenant_id from export_job where expires_at <= now() limit ${limit}`.execute(sweeper);
  return rows.map((row) => row.tenant_id);
}
