import { sql } from 'kysely';
import type { SweeperHandle } from '../../handles.ts';

const known = new WeakMap<SweeperHandle, boolean>();

/**
 * Whether the tables are distributed over several servers (Citus). Only a few statements depend on
 * this. They read all tenants. Either their usual form is not supported on a cluster, or their form
 * for clusters is too slow on a single server. The database is queried once per connection pool, so
 * restart the processes after distributing the tables.
 */
export async function isDistributed(db: SweeperHandle): Promise<boolean> {
  let response = known.get(db);
  if (response === undefined) {
    const { rows } = await sql<{ found: boolean }>`/* is-distributed */
      select exists (select from pg_extension where extname = 'citus') as found`.execute(db);
    response = rows[0]!.found;
    known.set(db, response);
  }
  return response;
}
