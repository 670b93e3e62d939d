import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tenantIdOf } from '#model/testing';
import { type Snapshot, Store } from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { onSnapshot } from './on-snapshot.ts';

describeWith(['postgres'], 'a response that is read from a snapshot', () => {
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

  async function* endless({ trx }: Snapshot, bytes: number): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 30; i++) {
      await sql`select 1`.execute(trx);
      yield new Uint8Array(bytes);
    }
  }

  it('ends if its reader is too slow, and releases the connection', async () => {
    const taken = async (): Promise<void> => {
      const pace = { graceMs: 300, bytesPerSecond: 1_000 };
      for await (const piece of onSnapshot(store, tenantIdOf(randomUUID()), (snapshot) => endless(snapshot, 1), pace))
        await sleep(50 * piece.length);
    };
    await expect(taken()).rejects.toMatchObject({ code: 'body-timeout' });
    await sql`select 1`.execute(store.global); // the only connection
  });

  it('continues while its reader is fast enough', async () => {
    let pieces = 0;
    const pace = { graceMs: 300, bytesPerSecond: 1_000 };
    for await (const piece of onSnapshot(store, tenantIdOf(randomUUID()), (snapshot) => endless(snapshot, 1_000), pace)) {
      await sleep(20);
      pieces += piece.length / 1_000;
    }
    expect(pieces).toBe(30);
  });
});
