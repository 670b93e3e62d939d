import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Whose workload it is, and what it is good for. Null when there is none, or no more. Notes once an hour that it is used. */
export async function useWorkloadIdentity(
  trx: Kysely<Database>,
  tenantId: string,
  workloadId: string,
): Promise<{ personId: string; scopes: readonly string[] } | null> {
  const { rows } = await sql<{ person_id: string; scopes: string[]; stale: boolean }>`
    select person_id, scopes, coalesce(last_used_at < now() - interval '1 hour', true) as stale
    from workload_identity where tenant_id = ${tenantId} and workload_id = ${workloadId}`.execute(trx);
  const row = rows[0];
  if (!row) return null;
  if (row.stale)
    await sql`update workload_identity set last_used_at = now() where tenant_id = ${tenantId} and workload_id = ${workloadId}
      and (last_used_at is null or last_used_at < now() - interval '1 hour')`.execute(trx);
  return { personId: row.person_id, scopes: row.scopes };
}
