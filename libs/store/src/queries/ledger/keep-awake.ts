import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { IngestScope } from '../../scope.ts';

/** Much less than a transaction of ingest may be silent (`ingestTimeouts`). */
const speakEveryMs = 5_000;

/**
 * Waits for `work`, which sends no statements, and keeps the transaction alive meanwhile. Postgres
 * ends a transaction that is silent for 30 seconds, so that a worker that is dead or frozen holds
 * no locks; writing the objects of a batch can take longer. Throws what `work` throws, or the error
 * of the connection.
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
