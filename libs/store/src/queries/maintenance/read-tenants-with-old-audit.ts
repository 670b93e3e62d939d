import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { SweeperHandle } from '../../handles.ts';

/**
 * Workspaces with audit log entries that have exceeded their retention. Reads all tenants without
 * locks (role plotline_sweeper).
 */
export async function readTenantsWithOldAudit(sweeper: SweeperHandle, limit: number): Promise<TenantId[]> {
  const { rows } = await sql<{ tenant_id: TenantId }>`
    /* read-tenants-with-old-audit */
    select w.tenant_id from workspace w
    where w.audit_days is not null
      and exists (select 1 from audit_entry a where a.tenant_id = w.tenant_id and a.at < now() - make_interval(days => w.audit_days))
    limit ${limit}`.execute(sweeper);
  return rows.map((row) => row.tenant_id);
}
