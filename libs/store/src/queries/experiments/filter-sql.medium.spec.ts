import { afterAll, beforeAll, expect, it } from 'vitest';
import { becomeCaller, runForStranger } from '#admission';
import { tenantIdOf } from '#model/testing';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { Store } from '../../store.ts';
import { type Filter, runFiltered } from './filter-sql.ts';

const tenantId = tenantIdOf('00000000-0000-0000-0000-00000000000a');
const pattern: Filter = { kind: 'not', term: { kind: 'compare', field: 'name', argument: null, operator: '~', value: 'a' } };
const plain: Filter = { kind: 'compare', field: 'name', argument: null, operator: '=', value: 'a' };

describeWith(['postgres'], 'lists with regular expressions', () => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl, appPoolSize: 12 });
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  it('run one at a time per caller, and do not block other callers', async () => {
    const ended = Promise.withResolvers<void>();
    let running = 0;
    const list = (account: string, filter: Filter, query: () => Promise<unknown>) =>
      runForStranger('192.0.2.1', async () => {
        becomeCaller(account, 'member');
        await store.withTenant(tenantId, ({ trx }) => runFiltered(trx, filter, query));
      });
    const hold = async (): Promise<void> => {
      running++;
      await ended.promise;
      running--;
    };
    const loud = Array.from({ length: 5 }, () => list('loud', pattern, hold));
    const settled = Promise.allSettled(loud);
    await expect.poll(() => running).toBe(1);
    await list('quiet', pattern, async () => undefined);
    await list('loud', plain, async () => undefined); // filters without a pattern are not held back
    expect(running).toBe(1);
    ended.resolve();
    for (const one of await settled) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'rate-limited' });
  });
});
