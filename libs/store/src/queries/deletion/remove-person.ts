import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/**
 * Removes a person who is no longer a member of any workspace. `person` is global: foreign keys
 * detect memberships in other workspaces, which are not visible here.
 */
export async function removePerson(trx: GlobalHandle, personId: string): Promise<void> {
  await sql`/* save-person */ savepoint person`.execute(trx);
  try {
    await sql`/* remove-person */ delete from person where person_id = ${personId}`.execute(trx);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== '23503') throw error; // foreign_key_violation
    await sql`/* restore-person */ rollback to savepoint person`.execute(trx);
  }
}
