import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tenantIdOf } from '#model/testing';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { Store } from './store.ts';

/**
 * Longer than connecting may take, divided by five: connecting needs about five turns of the event
 * loop.
 */
const partMs = 700;

function compute(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

/** Keeps the event loop busy until `done` settles, and returns its result. */
async function busyUntil<T>(done: Promise<T>): Promise<T> {
  let ended = false;
  void done.then(
    () => (ended = true),
    () => (ended = true),
  );
  while (!ended) {
    compute(partMs);
    await nextTurn();
  }
  return done;
}

describeWith(['postgres'], 'a process that is busy with something else', () => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl, appPoolSize: 1 });
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  it('does not mistake its own pause for a Postgres outage while it connects', async () => {
    const response = sql<{ one: number }>`select 1 as one`.execute(store.global);
    expect((await busyUntil(response)).rows).toEqual([{ one: 1 }]);
  });

  it('waits for a connection that is about to be released', async () => {
    const first = store.withTenant(tenantIdOf(randomUUID()), async ({ trx }) => {
      await sql`select 1`.execute(trx);
      compute(5 * partMs);
    });
    const second = sql<{ two: number }>`select 2 as two`.execute(store.global);
    await first;
    expect((await second).rows).toEqual([{ two: 2 }]);
  });
});
