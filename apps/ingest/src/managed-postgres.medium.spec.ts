import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import { type EmbeddedPostgres, startPostgres } from '#embedded-postgres';
import { assertIsolated, assertSignsIn, migrate, prepareDatabase, readPendingRuns, Store } from '#store';
import { describeWith } from '#testing';
import { DeletionWorld, recordsOf, type TestEvent } from './testing/deletion-world.ts';

/*
 * Postgres as in managed services: the administrator has CREATEROLE and CREATEDB, but is not a
 * superuser and cannot grant BYPASSRLS. Roles belong to the whole server, so each test has its own.
 */

const managed = 'managed_admin';
const roles = ['plotline_app', 'plotline_ingest', 'plotline_sweeper', 'plotline_migrator'] as const;

const events: TestEvent[] = Array.from({ length: 300 }, (_, step) => ({
  step: BigInt(step),
  values: [
    { tag: 'loss', scalar: step / 8 },
    ...(step % 50 === 0
      ? [
          { tag: 'weights', tensor: [step, step + 0.5] },
          { tag: 'note', text: `step ${step}` },
          { tag: 'image', images: [new Uint8Array([step % 256, 1, 2])] },
        ]
      : []),
  ],
}));

describeWith(['postgres'], 'a managed Postgres', () => {
  let dataDir: string;
  let postgres: EmbeddedPostgres;
  let superuser: pg.Client;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'plotline-managed-'));
    postgres = await startPostgres({ dataDir, settings: { fsync: 'off', shared_buffers: '32MB' } });
    superuser = new pg.Client({ connectionString: postgres.url() });
    await superuser.connect();
  });
  afterAll(async () => {
    await superuser?.end();
    await postgres?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const addressOf = (user: string, password: string, database = 'postgres') =>
    `postgres://${user}:${password}@127.0.0.1:${postgres.port}/${database}`;
  const passwords = () => Object.fromEntries(roles.map((role) => [role, postgres.password(role)]));

  it('names the right that its administrator lacks, and works once each is granted', async () => {
    await superuser.query(`create role ${managed} login password 'secret'`);
    const adminUrl = addressOf(managed, 'secret');
    const prepare = () => prepareDatabase({ adminUrl, database: 'plotline', passwords: passwords() });
    await expect(prepare()).rejects.toThrow(`the administrator ${managed} may not create the database plotline. Run "alter role`);
    await superuser.query('create database plotline');
    await expect(prepare()).rejects.toThrow(
      /managed_admin lacks a right: permission denied to create role\. Only roles with the CREATEROLE/,
    );
    await superuser.query(`alter role ${managed} createrole`);
    await expect(prepare()).rejects.toThrow(`Run "alter database "plotline" owner to "${managed}""`);
    await superuser.query(`alter database plotline owner to ${managed}`);
    expect(await prepare()).toBe(addressOf(managed, 'secret', 'plotline'));
    await superuser.query('drop database plotline');
    await superuser.query(`alter role ${managed} createdb`);
    await prepare();
    await prepare(); // any number of times
    const { rows } = await superuser.query('select rolname, rolsuper, rolbypassrls from pg_roles where rolname = any($1) order by 1', [
      roles,
    ]);
    expect(rows).toEqual([...roles].sort().map((rolname) => ({ rolname, rolsuper: false, rolbypassrls: false })));
  });

  it('is migrated, isolates tenants, and ingests an upload completely', async () => {
    await migrate(postgres.url('plotline_migrator', 'plotline'));
    const store = new Store({
      appUrl: postgres.url('plotline_app', 'plotline'),
      ingestUrl: postgres.url('plotline_ingest', 'plotline'),
      sweeperUrl: postgres.url('plotline_sweeper', 'plotline'),
    });
    try {
      await assertSignsIn(store);
      await assertIsolated(store);
      const world = new DeletionWorld(store, new MemoryBlobStore());
      const [tenant, other] = [await world.tenant('One'), await world.tenant('Two')];
      const experimentId = await world.experiment(tenant);
      const bytes = recordsOf(events, true);
      const fileId = await world.open(tenant, experimentId, 'run', 'events.out.tfevents.1');
      await world.append(tenant, experimentId, fileId, 0, bytes);
      await world.complete(tenant, fileId, bytes.length);
      expect((await readPendingRuns(store.sweeper, null, 10)).runs.map(({ tenantId }) => tenantId)).toEqual([tenant.tenantId]);
      await world.ingest(tenant);
      const { series } = await world.logical(tenant, experimentId);
      const values = Object.fromEntries(series.map(({ tag, all }) => [tag, all.length]));
      const few = events.filter(({ values: all }) => all.length > 1).length;
      expect(values).toEqual({ loss: events.length, weights: few, note: few, image: few });
      const loss = series.find(({ tag }) => tag === 'loss')!.all.map(({ value }) => value);
      expect(loss).toEqual(events.map(({ step }) => Number(step) / 8));
      // Policies for ingest and the sweeper that the application does not have.
      const seen = await store.withTenant(other.tenantId, ({ trx }) => trx.selectFrom('event_file').select('file_id').execute());
      expect(seen).toEqual([]);
      // @ts-expect-error -- its type has no such method, and Postgres rejects the statement
      await expect(store.sweeper.deleteFrom('event_file').execute()).rejects.toThrow(/permission denied/);
    } finally {
      await store.close();
    }
  });

  it('is rejected by a starting process when such a policy is missing or wider; migrate creates it again', async () => {
    const owner = new pg.Client({ connectionString: postgres.url(undefined, 'plotline') });
    await owner.connect();
    const store = new Store({ appUrl: postgres.url('plotline_app', 'plotline') });
    try {
      await owner.query('drop policy segment_ingest on segment');
      await expect(assertIsolated(store)).rejects.toThrow('table segment has no policy for plotline_ingest, which has no BYPASSRLS');
      await migrate(postgres.url('plotline_migrator', 'plotline'));
      await assertIsolated(store);
      await owner.query('alter policy segment_ingest on segment to plotline_ingest, plotline_app');
      await expect(assertIsolated(store)).rejects.toThrow('policy segment_ingest of table segment is not the plain one');
      await owner.query('alter policy segment_ingest on segment to plotline_ingest');
      await owner.query('alter role plotline_ingest bypassrls; alter role plotline_sweeper bypassrls');
      await migrate(postgres.url('plotline_migrator', 'plotline'));
      const { rows } = await owner.query(`select count(*)::int as n from pg_policies where policyname ~ '_(ingest|sweeper)$'`);
      expect(rows).toEqual([{ n: 0 }]);
      await assertIsolated(store);
    } finally {
      await store.close();
      await owner.end();
    }
  });
});
