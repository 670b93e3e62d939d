import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Channel on which readers hear, as a hint, that the frontier of an experiment may have moved; the payload is its id. */
export const frontierChannel = 'plotline_frontier';

/** Tells waiting readers when this transaction commits. A SELECT of its own without FROM, so that Citus delivers it. */
export async function notifyFrontier(trx: Kysely<Database>, experimentId: string): Promise<void> {
  await sql`select pg_notify(${frontierChannel}, ${experimentId})`.execute(trx);
}
