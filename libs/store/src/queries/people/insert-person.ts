import { type Kysely, sql } from 'kysely';
import type { Database } from '../../database.ts';

/** `person` is global. */
export async function insertPerson(db: Kysely<Database>, personId: string, displayName: string): Promise<void> {
  await db
    .insertInto('person')
    .values({ person_id: personId, display_name: displayName })
    .modifyEnd(sql`/* insert-person */`)
    .execute();
}
