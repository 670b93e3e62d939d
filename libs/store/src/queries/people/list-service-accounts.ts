import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** A member that is a program (a service account). */
export interface ServiceAccount {
  readonly accountId: string;
  readonly name: string;
  readonly role: string;
  readonly createdAt: Date;
}

/**
 * Lists service accounts by name, or only the account with this id. `person` is a reference table.
 */
export async function listServiceAccounts(
  { trx, tenantId }: TenantScope,
  { accountId = null, limit }: { readonly accountId?: string | null; readonly limit: number },
): Promise<ServiceAccount[]> {
  const { rows } = await sql<{ person_id: string; display_name: string; role: string; created_at: Date }>`
    /* list-service-accounts */
    select a.person_id, p.display_name, m.role, a.created_at
    from service_account a
      join workspace_member m on m.tenant_id = a.tenant_id and m.person_id = a.person_id
      join person p on p.person_id = a.person_id
    where a.tenant_id = ${tenantId} and (${accountId}::uuid is null or a.person_id = ${accountId}::uuid)
    order by p.display_name, a.person_id limit ${limit}`.execute(trx);
  return rows.map((row) => ({ accountId: row.person_id, name: row.display_name, role: row.role, createdAt: row.created_at }));
}
