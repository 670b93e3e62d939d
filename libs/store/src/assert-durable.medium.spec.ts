import { afterEach, beforeEach, expect, it } from 'vitest';
import { Store } from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { assertDurable } from './assert-durable.ts';

describeWith(['postgres'], 'assertDurable', () => {
  let database: TestDatabase;
  let store: Store;

  beforeEach(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl });
  });
  afterEach(async () => {
    await store?.close();
    await database?.drop();
  });

  it('rejects a role whose commits do not wait for the disk', async () => {
    const url = new URL(database.appUrl);
    url.searchParams.set('options', '-c synchronous_commit=off');
    const careless = new Store({ appUrl: url.href });
    await expect(assertDurable(careless, { allowUnsafe: false })).rejects.toThrow(/synchronous_commit is off/);
    await assertDurable(careless, { allowUnsafe: true });
    await careless.close();
  });

  it('reports all unsafe settings, or nothing', async () => {
    const message = await assertDurable(store, { allowUnsafe: false }).then(
      () => '',
      (error: Error) => error.message,
    );
    // The test server may have either configuration, and the message must match it.
    for (const setting of ['fsync', 'full_page_writes']) {
      const off =
        (await store.global.selectNoFrom((eb) => eb.fn<string>('current_setting', [eb.val(setting)]).as('value')).executeTakeFirstOrThrow())
          .value !== 'on';
      expect(message.includes(setting), setting).toBe(off);
    }
  });
});
