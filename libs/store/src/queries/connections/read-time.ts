import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/** The database's time, in milliseconds since 1970. Reads no table. */
export async function readTime(db: GlobalHandle): Promise<number> {
  const { rows } = await sql<{ ms: number }>`/* read-time */ select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.execute(db);
  return rows[0]!.ms;
}
