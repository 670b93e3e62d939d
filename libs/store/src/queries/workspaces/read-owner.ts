import { sql } from 'kysely';
import type { OperatorScope, TenantScope } from '../../scope.ts';

/** The person who has been an owner of the workspace longest. */
export async function readOwner({ trx, tenantId }: TenantScope | OperatorScope): Promise<string | null> {
  const row = await trx
    .selectFrom('workspace_member')
    .select('person_id')
    .where('tenant_id', '=', tenantId)
    .where('role', '=', 'owner')
    .orderBy('created_at')
    .orderBy('person_id')
    .modifyFront(sql`/* read-owner */`)
    .executeTakeFirst();
  return row?.person_id ?? null;
}
