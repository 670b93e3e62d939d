import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/** Removes a person who was just created but could not be signed in. */
export async function removeNewPerson(db: GlobalHandle, personId: string): Promise<void> {
  await sql`/* remove-new-person */ delete from person where person_id = ${personId}`.execute(db);
}
