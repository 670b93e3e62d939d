import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/** `person` is global. */
export async function insertPerson(db: GlobalHandle, personId: string, displayName: string): Promise<void> {
  await db
    .insertInto('person')
    .values({ person_id: personId, display_name: displayName })
    .modifyEnd(sql`/* insert-person */`)
    .execute();
}
