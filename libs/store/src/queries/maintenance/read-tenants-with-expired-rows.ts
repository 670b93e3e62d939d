import { sql } from 'kysely';
import type { TenantId } from '#model';
import type { SweeperHandle } from '../../handles.ts';

/**
 * Workspaces with idempotency keys or uploader requests that are older than these hours. Reads all
 * tenants without locks (role plotline_sweeper), with one index lookup per workspace.
 */
export async function readTenantsWithExpiredRows(
  sweeper: SweeperHandle,
  { keyHours, requestHours }: { readonly keyHours: number; readonly requestHours: number },
  limit: number,
): Promise<TenantId[]> {
  const { rows } = await sql<{ tenant_id: TenantId }>`
    /* read-tenants-with-expired-rows */
    select w.tenant_id from workspace w
    where exists (select 1 from idempotency_key k
        where k.tenant_id = w.tenant_id and k.created_at < now() - make_interval(hours => ${keyHours}))
      or exists (select 1 from uploader_request u
        where u.tenant_id = w.tenant_id and u.received_at < now() - make_interval(hours => ${requestHours}))
    limit ${limit}`.execute(sweeper);
  return rows.map((row) => row.tenant_id);
}
