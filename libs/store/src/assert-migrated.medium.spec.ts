import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEmptyDatabase, createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { assertMigrated } from './assert-migrated.ts';
import { Store } from './store.ts';

describeWith(['postgres'], 'the schema check at start', () => {
  let databases: TestDatabase[];
  let store: Store;
  let empty: Store;

  beforeAll(async () => {
    databases = [await createTestDatabase(), await createEmptyDatabase()];
    [store, empty] = databases.map(({ appUrl }) => new Store({ appUrl })) as [Store, Store];
  });
  afterAll(async () => {
    await store.close();
    await empty.close();
    for (const database of databases) await database.drop();
  });

  it('rejects an empty schema and an older one, which it names, and accepts a newer one', async () => {
    await expect(assertMigrated(empty)).rejects.toThrow(/at migration 0, but this Plotline needs \d+\. Run "npm run migrate"/);
    await assertMigrated(store);
    const admin = new pg.Client({ connectionString: databases[0]!.adminUrl });
    await admin.connect();
    try {
      await admin.query(`insert into schema_migration (number, name, sha256) select max(number) + 1, 'newer', 'x' from schema_migration`);
      await assertMigrated(store);
      await admin.query(`update schema_migration set contract = true where name = 'newer'`);
      await expect(assertMigrated(store)).rejects.toThrow(/the schema no longer works with this version/);
      await admin.query('delete from schema_migration where number > 5');
      await expect(assertMigrated(store)).rejects.toThrow(/at migration 5/);
    } finally {
      await admin.end();
    }
  });
});
