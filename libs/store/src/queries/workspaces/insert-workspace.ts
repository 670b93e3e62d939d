import { sql } from 'kysely';
import type { OperatorScope, TenantScope } from '../../scope.ts';

/** Returns false if a workspace with this ID exists or is still being removed. */
export async function insertWorkspace({ trx, tenantId }: TenantScope | OperatorScope, name: string): Promise<boolean> {
  const { rows } = await sql`
    /* insert-workspace */
    insert into workspace (tenant_id, name) values (${tenantId}, ${name}) on conflict (tenant_id) do nothing returning 1`.execute(trx);
  return rows.length > 0;
}

/** `role` is owner, admin, member or viewer. Restores a former member. */
export async function insertMember({ trx, tenantId }: TenantScope | OperatorScope, personId: string, role: string): Promise<void> {
  await trx
    .insertInto('workspace_member')
    .values({ tenant_id: tenantId, person_id: personId, role })
    .modifyEnd(sql`/* insert-member-workspace-member */`)
    .execute();
  await sql`/* insert-member-person-workspace */
    insert into person_workspace (person_id, tenant_id, joined_at, left_at) values (${personId}, ${tenantId}, now(), null)
    on conflict (person_id, tenant_id) do update set joined_at = excluded.joined_at, left_at = null`.execute(trx);
}
