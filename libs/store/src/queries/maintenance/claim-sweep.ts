import { sql } from 'kysely';
import type { SweeperHandle } from '../../handles.ts';

/** Any fixed number; held by the process that sweeps. */
const advisoryLock = 7_568_465_002;

/**
 * Runs `work` unless another process is sweeping; null if one is. The lock is released with the
 * transaction, even if its holder dies.
 */
export async function claimSweep<T>(sweeper: SweeperHandle, work: (sweeper: SweeperHandle) => Promise<T>): Promise<T | null> {
  return sweeper.transaction().execute(async (trx) => {
    const { rows } = await sql<{ taken: boolean }>`/* claim-sweep */
      select pg_try_advisory_xact_lock(${advisoryLock}::bigint) as taken`.execute(trx);
    return rows[0]!.taken ? work(trx) : null;
  });
}
