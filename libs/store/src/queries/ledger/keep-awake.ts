import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { IngestScope } from '../../scope.ts';

/** Much shorter than an ingest transaction may be silent (`ingestTimeouts`). */
const speakEveryMs = 5_000;

/**
 * Waits for `work`, which sends no statements, and keeps the transaction alive in the meantime.
 * Postgres ends a transaction that is silent for 30 seconds, so that a dead or frozen worker holds
 * no locks, but writing a batch's objects can take longer. Throws what `work` throws, or the
 * connection's error.
 */
export async function keepAwake<T>({ trx }: IngestScope, work: Promise<T>, everyMs = speakEveryMs): Promise<T> {
  const done = new AbortController();
  const speaking = (async () => {
    while (await sleep(everyMs, true, { signal: done.signal }).catch(() => false))
      await sql`/* keep-awake */ select 1 as awake`.execute(trx);
  })();
  const [worked, spoken] = await Promise.allSettled([work.finally(() => done.abort()), speaking]);
  if (worked.status === 'rejected') throw worked.reason;
  if (spoken.status === 'rejected') throw spoken.reason;
  return worked.value;
}
