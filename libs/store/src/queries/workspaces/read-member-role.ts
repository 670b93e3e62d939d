import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** owner, admin, member or viewer. Null if the person is not a member of the workspace. */
export async function readMemberRole({ trx, tenantId }: TenantScope, personId: string): Promise<string | null> {
  const row = await trx
    .selectFrom('workspace_member')
    .select('role')
    .where('tenant_id', '=', tenantId)
    .where('person_id', '=', personId)
    .modifyFront(sql`/* read-member-role */`)
    .executeTakeFirst();
  return row?.role ?? null;
}
