import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/**
 * Whether this process may now run a periodic job that one process at a time runs; the next run is
 * due in `everyMs`, by the clock of the database. `maintenance_turn` is global.
 */
export async function takeTurn(db: Kysely<Database>, name: string, everyMs: number): Promise<boolean> {
  const { rows } = await sql`
    insert into maintenance_turn as t (name, next_at) values (${name}, now() + make_interval(secs => ${everyMs / 1000}))
    on conflict (name) do update set next_at = excluded.next_at where t.next_at <= now()
    returning 1`.execute(db);
  return rows.length > 0;
}
