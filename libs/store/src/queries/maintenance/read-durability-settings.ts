import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/**
 * How durable a commit is on this server and connection: the settings that a durable
 * acknowledgement requires.
 */
export interface DurabilitySettings {
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly fullPageWrites: string;
}

/**
 * Reads the settings on a connection of the role that acknowledges, because they can differ per
 * role.
 */
export async function readDurabilitySettings(db: GlobalHandle): Promise<DurabilitySettings> {
  const { rows } = await sql<{ fsync: string; synchronous_commit: string; full_page_writes: string }>`
    /* read-durability-settings */
    select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
      current_setting('full_page_writes') as full_page_writes`.execute(db);
  const row = rows[0]!;
  return { fsync: row.fsync, synchronousCommit: row.synchronous_commit, fullPageWrites: row.full_page_writes };
}
