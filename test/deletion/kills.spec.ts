import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownerOf } from '#auth/testing';
import { openBlobStore } from '#blobs';
import { removeWorkspace } from '#experiments';
import { joinOriginal } from '#originals';
import { readDeletion, renewDeletion, Store } from '#store';
import { createTestDatabase, describeWith, freePort, tableRows, type TestDatabase } from '#testing';
import { DeletionWorld, recordsOf, type TestEvent, type TestTenant } from '../../apps/ingest/src/testing/deletion-world.ts';
import { ApartService } from '../apart/index.ts';
import { outputOf, plainEnvironment } from '../e2e/service.ts';
import { objectStores, type TestObjects } from './stores.ts';
import { findTraces } from './traces.ts';
import type { WorkerSettings } from './worker.ts';
import { workspaceRows } from './workspace-rows.ts';

const root = join(import.meta.dirname, '../..');
/**
 * DELETION_KILLS=50 runs the full set. The minimum is 6, so that some kills happen while rows are
 * deleted, some while objects are deleted, and two at the end.
 */
const kills = Number(process.env.DELETION_KILLS ?? 8);
/** Kills of a whole ingest process, which takes longer to start than a worker. */
const processKills = Math.ceil(kills / 5);

/**
 * The last two kills of a worker, at fixed points: after the last listed object, and after the
 * account row.
 */
const lastDeaths = [
  { failpoints: 'after-deletion-step=kill:1', workspace: true },
  // With seed 4, the first random number is large and the second is small.
  { failpoints: 'after-deletion-step=kill:0.5,seed=4', workspace: false },
];

/* Reliability test 72. */
for (const { kind, parts, open } of objectStores) {
  describeWith(parts, `a deletion whose worker is killed ${kills} times, with objects in ${kind}`, () => {
    let database: TestDatabase;
    let objects: TestObjects;
    let store: Store;
    let world: DeletionWorld;

    beforeAll(async () => {
      database = await createTestDatabase();
      objects = await open();
      store = new Store(database);
      world = new DeletionWorld(store, objects.blobs);
    });
    afterAll(async () => {
      await store?.close();
      await objects?.drop();
      await database?.drop();
    });

    it('ends without rows and objects of the workspace, counted once, and does not affect others', { timeout: 3_600_000 }, async () => {
      const canary = randomBytes(16).toString('hex');
      const tenant = await fill(world, canary);
      const other = await fill(world, randomBytes(16).toString('hex'));
      const othersObjects = await world.objects(other);
      const othersRows = await workspaceRows(database.adminUrl, other.tenantId);
      const count = async (sql: string) => {
        const client = new pg.Client({ connectionString: database.adminUrl });
        await client.connect();
        const { rows } = await client.query<{ n: string }>(sql, [tenant.tenantId]);
        await client.end();
        return Number(rows[0]!.n);
      };
      const points =
        (await count('select coalesce(sum(points), 0) as n from run_tail where tenant_id = $1')) +
        (await count('select coalesce(sum(count), 0) as n from scalar_chunk where tenant_id = $1')) +
        (await count('select count(*) as n from tensor_value where tenant_id = $1')) +
        (await count('select count(*) as n from blob_sequence_value where tenant_id = $1'));
      const ownObjects = (await world.objects(tenant)).length;
      expect((await findTraces(database.adminUrl, objects.blobs, [canary])).length).toBeGreaterThan(100);

      const deletionId = await askFor(store, tenant, canary);
      const { appUrl, ingestUrl } = database;
      const work = (failpoints: string, rowsAtOnce: number) =>
        runWorker({ appUrl, ingestUrl, blobs: objects.options, tenantId: tenant.tenantId, deletionId, failpoints, rowsAtOnce });
      const look = () => whatIsLeft(database.adminUrl, world, tenant);
      let amongRows = 0;
      let amongObjects = 0;
      for (let life = 0; life < kills - lastDeaths.length; life++) {
        // The first kills happen while rows are deleted, later kills while objects are deleted.
        const failpoint = life < kills / 2 ? 'after-deletion-step=kill:0.2' : 'before-delete-object=kill:0.2';
        expect(await work(`${failpoint},seed=${life}`, 3), `life ${life}`).toBe('killed');
        const { rows } = await look();
        if (rows['run'] === undefined) amongObjects++;
        else amongRows++;
      }
      expect(amongRows).toBeGreaterThan(0);
      expect(amongObjects).toBeGreaterThan(0);
      for (const { failpoints, workspace } of lastDeaths) {
        expect(await work(failpoints, 1_000)).toBe('killed');
        const { rows, objects: ownLeft } = await look();
        expect([rows['workspace'], ownLeft]).toEqual([workspace ? 1 : undefined, 0]);
      }
      expect(await work('', 3)).toBe('done');

      expect(await findTraces(database.adminUrl, objects.blobs, [canary])).toEqual([]);
      expect(await world.objects(tenant)).toEqual([]);
      await expectOnlyTheRecord(database.adminUrl, tenant);
      const deletion = await store.withTenant(tenant.tenantId, (scope) => readDeletion(scope, deletionId));
      expect(deletion).toMatchObject({ finishedAt: expect.any(Date), requestedBy: null, objectsLeft: 0 });
      expect(deletion!.removed).toMatchObject({ runs: 12, files: 12, series: 48, points });
      expect(deletion!.removed.objects).toBe(ownObjects);
      expect(await world.objects(other)).toEqual(othersObjects);
      expect(await workspaceRows(database.adminUrl, other.tenantId)).toEqual(othersRows);
    });
  });
}

describeWith(['postgres', 'redis', 's3'], `a deletion whose ingest process is killed ${processKills} times`, () => {
  let dataDir: string;
  let apart: ApartService;
  let store: Store;
  let world: DeletionWorld;
  const url = (role?: string) => apart.postgres.url(role, 'plotline');

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'plotline-deletion-'));
    const count = { upload: 0, ingest: 0, read: 0 };
    apart = new ApartService({ dataDir, port: await freePort(), env: plainEnvironment(), count });
    await apart.start();
    store = new Store({ appUrl: url('plotline_app'), ingestUrl: url('plotline_ingest') });
    world = new DeletionWorld(store, await openBlobStore(apart.bucket));
  });
  afterAll(async () => {
    await store?.close();
    await apart?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('ends without rows and objects of the workspace', { timeout: 1_200_000 }, async () => {
    const canary = randomBytes(16).toString('hex');
    const tenant = await fill(world, canary);
    const deletionId = await askFor(store, tenant, canary);
    const isDone = async () => {
      const deletion = await store.withTenant(tenant.tenantId, (scope) => readDeletion(scope, deletionId));
      return deletion!.finishedAt !== null;
    };
    for (let life = 0; life < processKills; life++) {
      const failpoint = life < processKills / 2 ? 'after-deletion-step=kill:0.2' : 'before-delete-object=kill:0.05';
      expect(await runIngest(`${failpoint},seed=${life}`, isDone), `life ${life}`).toBe('killed');
      await whatIsLeft(url(), world, tenant);
      await endLease(tenant, deletionId);
    }
    expect(await runIngest('', isDone)).toBe('done');
    expect(await findTraces(url(), world.blobs, [canary])).toEqual([]);
    expect(await world.objects(tenant)).toEqual([]);
    await expectOnlyTheRecord(url(), tenant);
    expect(apart.output).not.toContain(canary);
  });

  /** Runs an ingest process until it kills itself, or until the deletion is done; then stops it. */
  async function runIngest(failpoints: string, isDone: () => Promise<boolean>): Promise<'done' | 'killed'> {
    // The process may die before it serves; the exit is checked below.
    await apart.programs.start('ingest', 1, { PLOTLINE_FAILPOINTS: failpoints }).catch(() => undefined);
    const program = apart.programs.of('ingest').at(-1)!;
    while (program.pid !== null && !(await isDone())) await sleep(50);
    const { code, signal, output } = await program.end('SIGTERM');
    if (signal === 'SIGKILL') return 'killed';
    expect([code, signal], output).toEqual([0, null]);
    return 'done';
  }

  /** Ends the lease of a dead worker early. */
  async function endLease({ tenantId }: TestTenant, deletionId: string): Promise<void> {
    await store.withTenant(tenantId, (scope) => renewDeletion(scope, deletionId, 0));
  }
});

/** Creates a workspace with the canary in its name, members, names, tags, texts and blobs. */
async function fill(world: DeletionWorld, canary: string): Promise<TestTenant> {
  const { store, blobs } = world;
  const tenant = await world.tenant(`lab ${canary}`, `Ada ${canary}`);
  for (let e = 0; e < 3; e++) {
    const experimentId = await world.experiment(tenant, `name ${canary}`, `about ${canary}`);
    for (let r = 0; r < 4; r++) {
      const name = `events.tfevents.${canary}`;
      const fileId = await world.open(tenant, experimentId, `run ${r} ${canary}`, name);
      const events = Array.from({ length: 8 }, (_, i): TestEvent => ({
        step: BigInt(i),
        values: [
          { tag: `loss ${canary}`, scalar: i },
          { tag: `note ${canary}`, text: `${canary} ${i}` },
          { tag: 'big', tensor: Array.from({ length: 5_000 }, (_v, n) => n + i + 100 * r) },
          { tag: 'shown', images: [Buffer.from(`shared ${i}`), Buffer.from(`${canary} ${e} ${r} ${i}`)] },
        ],
      }));
      const bytes = recordsOf(events, true);
      await world.append(tenant, experimentId, fileId, 0, bytes);
      await world.ingest(tenant);
      if (r < 2) {
        await world.complete(tenant, fileId, bytes.length);
        if (r === 1) await joinOriginal(store, blobs, tenant.tenantId, fileId);
      }
    }
  }
  return tenant;
}

/** Requests the deletion of a workspace created by {@link fill}; returns its ID. */
async function askFor(store: Store, tenant: TestTenant, canary: string): Promise<string> {
  const caller = ownerOf(tenant);
  return (await store.withTenant(tenant.tenantId, (scope) => removeWorkspace(scope, caller, `lab ${canary}`))).deletionId;
}

/** Runs a worker until it is done or kills itself. */
async function runWorker(settings: WorkerSettings): Promise<'done' | 'killed'> {
  const child = spawn(process.execPath, ['--conditions=source', join(import.meta.dirname, 'worker.ts')], {
    cwd: root,
    env: { ...process.env, DELETION_WORKER: JSON.stringify(settings) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { stderr } = await outputOf(child);
  if (child.signalCode === 'SIGKILL') return 'killed';
  expect([child.exitCode, child.signalCode], stderr).toEqual([0, null]);
  return 'done';
}

/**
 * Returns the remaining rows and objects of a workspace after its worker died, without the deletion
 * record. Fails if the account row was not removed last.
 */
async function whatIsLeft(
  adminUrl: string,
  world: DeletionWorld,
  tenant: TestTenant,
): Promise<{ readonly rows: Record<string, number>; readonly objects: number }> {
  const objects = (await world.objects(tenant)).length;
  const { deletion, ...rows } = await workspaceRows(adminUrl, tenant.tenantId);
  expect(deletion).toBe(1);
  if (rows['workspace'] === undefined) expect({ rows, objects }).toEqual({ rows: {}, objects: 0 });
  return { rows, objects };
}

/**
 * Only the deletion record may remain of a deleted workspace, and no table may identify its
 * members.
 */
async function expectOnlyTheRecord(adminUrl: string, tenant: TestTenant): Promise<void> {
  expect(await workspaceRows(adminUrl, tenant.tenantId)).toEqual({ deletion: 1 });
  for await (const { table, text } of tableRows(adminUrl)) expect([table, text.includes(tenant.personId)]).toEqual([table, false]);
}
