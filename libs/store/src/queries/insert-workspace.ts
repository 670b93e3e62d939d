import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';

export async function insertWorkspace(trx: Kysely<Database>, tenantId: string, name: string): Promise<void> {
  await trx.insertInto('workspace').values({ tenant_id: tenantId, name }).execute();
}

/** `role`: owner, admin, member or viewer. */
export async function insertMember(trx: Kysely<Database>, tenantId: string, personId: string, role: string): Promise<void> {
  await trx.insertInto('workspace_member').values({ tenant_id: tenantId, person_id: personId, role }).execute();
}
