import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { becomeCaller, runForStranger } from '#admission';
import { tenantIdOf } from '#model/testing';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { Store } from './store.ts';

const connections = 6;

describeWith(['postgres'], 'connections under load', () => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl, appPoolSize: connections });
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  /** One transaction of `account`. */
  const ask = (account: string, statement: ReturnType<typeof sql>, as: 'member' | 'visitor' = 'member', place = '192.0.2.1') =>
    runForStranger(place, async () => {
      becomeCaller(account, as);
      await store.withTenant(tenantIdOf(randomUUID()), ({ trx }) => statement.execute(trx));
    });

  /**
   * Occupies connections until the caller releases them. Requests that get no connection in time
   * are rejected, which affects only their share.
   */
  function holding(account: string, requests: number, as: 'member' | 'visitor' = 'member', place = '192.0.2.1') {
    const ended = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    let held = 0;
    const all = Promise.allSettled(
      Array.from({ length: requests }, () =>
        runForStranger(place, async () => {
          becomeCaller(account, as);
          await store.withTenant(tenantIdOf(randomUUID()), async ({ trx }) => {
            await sql`select 1`.execute(trx);
            held++;
            started.resolve();
            await ended.promise;
          });
        }),
      ),
    );
    return {
      started: started.promise,
      held: () => held,
      end: async () => {
        ended.resolve();
        await all;
      },
    };
  }

  it('a member who wants many connections leaves one to others', async () => {
    const loud = holding('loud', 30);
    await loud.started;
    for (let i = 0; i < 20; i++) await ask('quiet', sql`select 1`);
    await ask('loud', sql`select 1`, 'visitor'); // visitors of a workspace are separate from its members
    expect(loud.held()).toBeLessThan(connections);
    await loud.end();
  });

  it('visitors of a workspace leave its members their connections, from any address', async () => {
    const crowds = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((place) => holding('owner', 10, 'visitor', place));
    await Promise.race(crowds.map(({ started }) => started));
    await ask('owner', sql`select 1`);
    expect(crowds.reduce((sum, { held }) => sum + held(), 0)).toBeLessThan(connections);
    await Promise.all(crowds.map(({ end }) => end()));
  });
});
