import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** Marks a member as a program. */
export async function insertServiceAccount({ trx, tenantId }: TenantScope, accountId: string): Promise<void> {
  await sql`/* insert-service-account */
    insert into service_account (tenant_id, person_id) values (${tenantId}, ${accountId})`.execute(trx);
}
