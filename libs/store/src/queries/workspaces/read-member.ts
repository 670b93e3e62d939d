import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/**
 * A member's role (owner, admin, member or viewer), and whether the member is a program (a service
 * account). Null if the person is not a member.
 */
export async function readMember({ trx, tenantId }: TenantScope, personId: string): Promise<{ role: string; program: boolean } | null> {
  const { rows } = await sql<{ role: string; program: boolean }>`
    /* read-member */
    select m.role, exists (
      select 1 from service_account a where a.tenant_id = ${tenantId} and a.person_id = m.person_id
    ) as program
    from workspace_member m where m.tenant_id = ${tenantId} and m.person_id = ${personId}`.execute(trx);
  return rows[0] ?? null;
}
