import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/**
 * Whether nobody else copies an experiment of the workspace: then it is this transaction's turn until it ends. Does not wait. A lock on the node that is connected to: all
 * processes use the coordinator.
 */
export async function takeSnapshotTurn(trx: Kysely<Database>, tenantId: string): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${tenantId}, 21)) as taken`.execute(trx);
  return rows[0]!.taken;
}
