import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tenantIdOf } from '#model/testing';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import type { IngestScope } from '../../scope.ts';
import { Store } from '../../store.ts';
import { keepAwake } from './keep-awake.ts';

const mayBeSilentMs = 500;

describeWith(['postgres'], 'an ingest transaction that waits for other work', () => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  /**
   * Runs `work` in a transaction that may not be silent for long. Returns what the transaction
   * reads at its end.
   */
  const waitIn = (work: (ingest: IngestScope) => Promise<unknown>): Promise<unknown> =>
    store.withIngest(tenantIdOf(randomUUID()), async (ingest) => {
      await sql`select set_config('idle_in_transaction_session_timeout', ${String(mayBeSilentMs)}, true)`.execute(ingest.trx);
      await work(ingest);
      return (await sql<{ one: number }>`select 1 as one`.execute(ingest.trx)).rows[0]!.one;
    });

  it('ends if it is silent, and lasts if it is kept awake', async () => {
    await expect(waitIn(() => sleep(4 * mayBeSilentMs))).rejects.toMatchObject({ code: 'store-unavailable' });
    expect(await waitIn((ingest) => keepAwake(ingest, sleep(4 * mayBeSilentMs), mayBeSilentMs / 10))).toBe(1);
  });

  it('returns the result of the work, and throws its error', async () => {
    const results: unknown[] = [];
    await waitIn(async (ingest) => results.push(await keepAwake(ingest, Promise.resolve('done'))));
    expect(results).toEqual(['done']);
    await expect(waitIn((ingest) => keepAwake(ingest, Promise.reject(new Error('full'))))).rejects.toThrow('full');
  });
});
