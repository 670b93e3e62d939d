import { sql } from 'kysely';
import type { SweeperHandle } from '../../handles.ts';

/** Key of the lock that the sweeping process holds. The number is arbitrary but fixed. */
const advisoryLock = 7_568_465_002;

/**
 * Runs `work`, or returns null if another process is sweeping. The lock is released with the
 * transaction, even if the process dies.
 */
export async function claimSweep<T>(sweeper: SweeperHandle, work: (sweeper: SweeperHandle) => Promise<T>): Promise<T | null> {
  return sweeper.transaction().execute(async (trx) => {
    const { rows } = await sql<{ taken: boolean }>`/* claim-sweep */
      select pg_try_advisory_xact_lock(${advisoryLock}::bigint) as taken`.execute(trx);
    return rows[0]!.taken ? work(trx) : null;
  });
}
