import type { TenantScope } from '../scope.ts';

/** owner, admin, member or viewer; null if the person is not a member of the workspace. */
export async function readMemberRole({ trx, tenantId }: TenantScope, personId: string): Promise<string | null> {
  const row = await trx
    .selectFrom('workspace_member')
    .select('role')
    .where('tenant_id', '=', tenantId)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  return row?.role ?? null;
}
