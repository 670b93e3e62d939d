import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/**
 * A workload's service account and permissions. Null if the workload is unknown or was removed.
 * Records its use once an hour.
 */
export async function useWorkloadIdentity(
  { trx, tenantId }: TenantScope,
  workloadId: string,
): Promise<{ personId: string; scopes: readonly string[] } | null> {
  const { rows } = await sql<{ person_id: string; scopes: string[]; stale: boolean }>`
    /* use-workload-identity */
    select person_id, scopes, coalesce(last_used_at < now() - interval '1 hour', true) as stale
    from workload_identity where tenant_id = ${tenantId} and workload_id = ${workloadId}`.execute(trx);
  const row = rows[0];
  if (!row) return null;
  if (row.stale)
    await sql`/* use-workload-identity-workload-identity */
      update workload_identity set last_used_at = now() where tenant_id = ${tenantId} and workload_id = ${workloadId}
      and (last_used_at is null or last_used_at < now() - interval '1 hour')`.execute(trx);
  return { personId: row.person_id, scopes: row.scopes };
}
