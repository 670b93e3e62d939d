import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, describeWith, isCluster, type TestDatabase } from '#testing';
import { assertSignsIn } from './assert-signs-in.ts';
import { Store, type StoreOptions } from './store.ts';

describeWith(['postgres'], 'the sign-in check of database URLs', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database?.drop();
  });

  function check(change: Partial<StoreOptions> = {}): Promise<void> {
    const { appUrl, ingestUrl, sweeperUrl } = database;
    return checkOnly({ appUrl, ingestUrl, sweeperUrl, ...change });
  }

  async function checkOnly(options: StoreOptions): Promise<void> {
    const store = new Store(options);
    try {
      await assertSignsIn(store);
    } finally {
      await store.close();
    }
  }

  function changed(address: string, change: (url: URL) => void): string {
    const url = new URL(address);
    change(url);
    return url.href;
  }

  it("accepts each role's own URL, also of some roles only", async () => {
    await check();
    await checkOnly({ appUrl: database.appUrl });
  });

  it('rejects any other role, above all one that bypasses row-level security', async () => {
    const { adminUrl, appUrl, ingestUrl, migratorUrl } = database;
    const administrator = decodeURIComponent(new URL(adminUrl).username);
    const faultOf = (is: string, shouldBe: string, role = shouldBe) => ({
      name: 'SignInFault',
      role,
      message: `signs in as ${is}, but must sign in as ${shouldBe}.`,
    });
    await expect(check({ appUrl: adminUrl })).rejects.toMatchObject(faultOf(`${administrator}, a superuser`, 'plotline_app'));
    await expect(check({ ingestUrl: adminUrl })).rejects.toMatchObject(faultOf(`${administrator}, a superuser`, 'plotline_ingest'));
    await expect(check({ sweeperUrl: adminUrl })).rejects.toMatchObject(faultOf(`${administrator}, a superuser`, 'plotline_sweeper'));
    await expect(check({ ingestUrl: appUrl })).rejects.toMatchObject(faultOf('plotline_app', 'plotline_ingest'));
    await expect(check({ appUrl: ingestUrl })).rejects.toMatchObject(
      faultOf('plotline_ingest, which bypasses row-level security', 'plotline_app'),
    );
    await expect(check({ appUrl: migratorUrl })).rejects.toMatchObject(faultOf('plotline_migrator', 'plotline_app'));
  });

  it('rejects a superuser whose URL sets another role, since it can reset it', async () => {
    const disguised = changed(database.adminUrl, (url) => url.searchParams.set('options', '-c role=plotline_app'));
    const administrator = decodeURIComponent(new URL(database.adminUrl).username);
    await expect(check({ appUrl: disguised })).rejects.toThrow(`signs in as ${administrator}, a superuser`);
  });

  // The nodes of a test cluster trust each other by address, and all have the same address.
  it.skipIf(isCluster())('reports a failed login, with a remedy and without the password', async () => {
    const ingestUrl = changed(database.ingestUrl, (url) => (url.password = 'hush-hush'));
    const { host } = new URL(ingestUrl);
    const rejected = await check({ ingestUrl }).then(
      () => expect.fail('it was let in'),
      (error: Error) => error,
    );
    expect(rejected).toMatchObject({ name: 'SignInFault', role: 'plotline_ingest', cause: { code: '28P01' } });
    expect(rejected.message).toContain(`cannot sign in at ${host}: password authentication failed for user "plotline_ingest".`);
    expect(rejected.message).toContain('"npm run migrate" created plotline_ingest');
    expect(rejected.message).not.toContain('hush-hush');
    const missing = changed(database.appUrl, (url) => (url.pathname = '/no_such_database'));
    await expect(check({ appUrl: missing })).rejects.toThrow(/"no_such_database" does not exist\. .*npm run migrate/);
  });

  it('does not blame the URL while Postgres is down', async () => {
    const downUrl = changed(database.appUrl, (url) => (url.port = '1'));
    await expect(check({ appUrl: downUrl })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
