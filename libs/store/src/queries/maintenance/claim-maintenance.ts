import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/**
 * Whether this process may now run a periodic job that only one process runs at a time. The next
 * run is due in `everyMs`, by the database's clock. `maintenance_turn` is global.
 */
export async function claimMaintenance(db: GlobalHandle, name: string, everyMs: number): Promise<boolean> {
  // Reads first, because most calls are too early, and a write to a global table reaches every node
  // of a cluster.
  const { rows: turns } = await sql<{ due: boolean }>`
    /* read-maintenance-due */
    select next_at <= now() as due from maintenance_turn where name = ${name}`.execute(db);
  if (turns[0]?.due === false) return false;
  const next = sql`now() + make_interval(secs => ${everyMs / 1000})`;
  const { rows } = turns[0]
    ? await sql`/* claim-maintenance */
      update maintenance_turn set next_at = ${next} where name = ${name} and next_at <= now() returning 1`.execute(db)
    : await sql`/* insert-maintenance-due */
      insert into maintenance_turn (name, next_at) values (${name}, ${next}) on conflict (name) do nothing returning 1`.execute(db);
  return rows.length > 0;
}
