import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/** Resolves if the database responds; otherwise, rejects. */
export async function ping(db: GlobalHandle): Promise<void> {
  await sql`/* ping */ select 1`.execute(db);
}
