import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/**
 * The person. Null if there is no person with this id, or the person was erased. `person` is
 * global.
 */
export async function readPerson(db: GlobalHandle, personId: string): Promise<{ name: string; createdAt: Date } | null> {
  const { rows } = await sql<{ display_name: string; created_at: Date }>`
    /* read-person */
    select display_name, created_at from person where person_id = ${personId} and erased_at is null`.execute(db);
  return rows[0] ? { name: rows[0].display_name, createdAt: rows[0].created_at } : null;
}
