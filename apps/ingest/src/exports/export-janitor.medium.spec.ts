import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import type { ExperimentId } from '#model';
import { expireExports, findExportJob, insertExportJob, Store } from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { DeletionWorld, recordsOf, type TestTenant } from '../testing/deletion-world.ts';
import { ExportJanitor } from './export-janitor.ts';
import { removeExports } from './remove-exports.ts';
import { workOnExport } from './work-on-export.ts';

const bounds = { leaseMs: 15_000, retryMs: 0, maxAttempts: 5, maxClaims: 20, keepMs: 3_600_000 };

interface Place {
  readonly tenant: TestTenant;
  readonly experimentId: ExperimentId;
}

describeWith(['postgres'], 'the janitor of exports', () => {
  let database: TestDatabase;
  let store: Store;
  const blobs = new MemoryBlobStore();
  let world: DeletionWorld;
  let admin: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    world = new DeletionWorld(store, blobs);
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin?.end();
    await store?.close();
    await database?.drop();
  });

  async function place(): Promise<Place> {
    const tenant = await world.tenant();
    const experimentId = await world.experiment(tenant);
    const fileId = await world.open(tenant, experimentId, 'train', 'events.1');
    await world.append(tenant, experimentId, fileId, 0, recordsOf([{ step: 1n, values: [{ tag: 'loss', scalar: 1 }] }], true));
    await world.ingest(tenant);
    return { tenant, experimentId };
  }

  /** Requests an export and returns its id. */
  async function request({ tenant, experimentId }: Place): Promise<string> {
    const exportId = randomUUID();
    const job = { exportId, experimentId, format: 'csv', runs: null, tags: null, contentKey: randomBytes(32) };
    await store.withTenant(tenant.tenantId, (scope) => insertExportJob(scope, job));
    return exportId;
  }

  const find = ({ tenant, experimentId }: Place, exportId: string) =>
    store.withTenant(tenant.tenantId, (scope) => findExportJob(scope, experimentId, exportId));

  async function objects({ tenant }: Place): Promise<number> {
    const keys = [];
    for await (const { key } of blobs.list(tenant.tenantId, 'snapshot/')) keys.push(key);
    return keys.length;
  }

  it('writes waiting exports, and removes expired ones of every workspace, with their objects', async () => {
    const [a, b, kept] = [await place(), await place(), await place()];
    const ids = [await request(a), await request(b), await request(kept)];
    const failures: unknown[] = [];
    const removed: string[] = [];
    const runner = {
      writeExport: (job: Parameters<typeof workOnExport>[2]) => workOnExport(store, blobs, job, bounds),
      removeExports: async (tenantId: TestTenant['tenantId']) => {
        removed.push(tenantId);
        await removeExports(store, blobs, tenantId);
      },
    };
    const janitor = new ExportJanitor(store, runner, { everyMs: 60_000, onError: (error) => failures.push(error) });
    await janitor.round();
    expect(failures).toEqual([]);
    for (const [i, one] of [a, b, kept].entries()) {
      expect((await find(one, ids[i]!))?.state).toBe('finished');
      expect(await objects(one)).toBeGreaterThan(0);
    }
    expect(removed).toEqual([]);
    for (const { tenant, experimentId } of [a, b]) await store.withTenant(tenant.tenantId, (scope) => expireExports(scope, experimentId));
    // One process at a time looks for expired exports, once a minute
    await janitor.round();
    expect(removed).toEqual([]);
    await admin.query('delete from maintenance_turn');
    await janitor.round();
    expect(failures).toEqual([]);
    expect(removed.sort()).toEqual([a.tenant.tenantId, b.tenant.tenantId].sort());
    expect([await objects(a), await objects(b)]).toEqual([0, 0]);
    expect(await objects(kept)).toBeGreaterThan(0);
    const { rows } = await admin.query('select export_id from export_job');
    expect(rows).toEqual([{ export_id: ids[2] }]);
  });
});
