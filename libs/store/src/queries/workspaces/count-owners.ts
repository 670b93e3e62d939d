import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** The number of owners in the workspace. Valid only while {@link lockMembers} is held. */
export async function countOwners({ trx, tenantId }: TenantScope): Promise<number> {
  const { rows } = await sql<{ owners: number }>`
    /* count-owners */
    select count(*)::int as owners from workspace_member where tenant_id = ${tenantId} and role = 'owner'`.execute(trx);
  return rows[0]!.owners;
}
