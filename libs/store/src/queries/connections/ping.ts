import { type Kysely, sql } from 'kysely';
import type { Database } from '../../database.ts';

/** Resolves if the database answers, and rejects if it does not. */
export async function ping(db: Kysely<Database>): Promise<void> {
  await sql`/* ping */ select 1`.execute(db);
}
