import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { Store } from './store.ts';

describeWith(['postgres'], 'the clock of a store', () => {
  let database: TestDatabase;
  let admin: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  afterAll(async () => {
    await admin?.end();
    await database?.drop();
  });

  it('follows Postgres, even when the clock of this process jumps', async () => {
    const store = new Store({ appUrl: database.appUrl });
    try {
      for (const offMs of [86_400_000, 0, -86_400_000]) {
        vi.useRealTimers();
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs });
        const time = async () => Number((await admin.query('select extract(epoch from clock_timestamp()) * 1000 as ms')).rows[0].ms);
        const [before, own, after] = [await time(), await store.clock.now(), await time()];
        expect([offMs, own > before - 5_000 && own < after + 5_000]).toEqual([offMs, true]);
      }
    } finally {
      await store.close();
    }
  });
});
