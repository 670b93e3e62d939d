import { sql } from 'kysely';
import { Problem } from '#model';
import type { GlobalHandle } from '../../handles.ts';

/**
 * Resolves if the database accepts a write and commits it. Throws `store-unavailable` on a standby,
 * and rejects if the database does not respond. The write is an empty WAL message. It changes no
 * table, but its commit waits for synchronous standbys like any other.
 */
export async function assertWritable(db: GlobalHandle): Promise<void> {
  const { rows } = await sql<{ read_only: string }>`/* read-transaction-mode */
    select current_setting('transaction_read_only') as read_only`.execute(db);
  if (rows[0]!.read_only !== 'off') throw new Problem('store-unavailable', 'The database accepts no writes at the moment. Try again soon.');
  await sql`/* assert-writable */ select pg_logical_emit_message(true, 'plotline', '')`.execute(db);
}
