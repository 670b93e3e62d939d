import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/** Resolves if the database responds, and rejects otherwise. */
export async function ping(db: GlobalHandle): Promise<void> {
  await sql`/* ping */ select 1`.execute(db);
}
