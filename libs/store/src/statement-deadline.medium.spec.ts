import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tenantIdOf } from '#model/testing';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { insertWorkspace } from './queries/workspaces/insert-workspace.ts';
import { Store } from './store.ts';

const tenant = tenantIdOf('00000000-0000-0000-0000-00000000000a');

describeWith(['postgres'], 'a statement on the node with its rows', () => {
  let database: TestDatabase;
  let store: Store;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    await store.withTenant(tenant, (scope) => insertWorkspace(scope, 'Lab'));
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  it('keeps its connection while it takes seconds', async () => {
    const slow = store.withTenant(tenant, ({ trx }) =>
      sql<{ name: string }>`select name from workspace where tenant_id = ${tenant} and pg_sleep(3) is not null`.execute(trx),
    );
    expect((await slow).rows).toEqual([{ name: 'Lab' }]);
  });
});

describeWith(['postgres'], 'the deadline of a statement', () => {
  let database: TestDatabase;
  let store: Store;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl, appPoolSize: 1, statementMs: 100 });
  });
  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  it('cancels an abandoned request, and keeps the connection for the next', async () => {
    const endless = (): Promise<unknown> => store.withTenant(tenant, ({ trx }) => sql`select pg_sleep(600)`.execute(trx));
    await expect(endless()).rejects.toMatchObject({ code: 'store-unavailable' });
    await expect(store.withSnapshot(tenant, ({ client }) => client.query('select pg_sleep(600)'))).rejects.toMatchObject({
      code: 'store-unavailable',
    });
    const { rows } = await store.withTenant(tenant, ({ trx }) => sql<{ one: number }>`select 1 as one`.execute(trx));
    expect(rows).toEqual([{ one: 1 }]);
  });
});
