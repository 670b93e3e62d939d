import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/**
 * Holds the members of a workspace as they are until the transaction ends, so that two owners who go at the same moment do not leave it without one.
 * Nobody who only adds an experiment waits for it. False: the workspace is being deleted.
 */
export async function lockMembers(trx: Kysely<Database>, tenantId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from workspace where tenant_id = ${tenantId} and deleted_at is null for no key update`.execute(trx);
  return rows.length > 0;
}
