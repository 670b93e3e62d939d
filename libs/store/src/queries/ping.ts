import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';

/** Answers when the database does, and rejects when it does not. */
export async function ping(db: Kysely<Database>): Promise<void> {
  await sql`select 1`.execute(db);
}
