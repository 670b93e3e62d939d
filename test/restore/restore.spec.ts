import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { type BlobStore, openBlobStore } from '#blobs';
import { describeWith, nodeArgumentsOf, type PrivateS3, seededRandom, startS3 } from '#testing';
import { Cli, outputOf, Service, type Uploaded } from '../e2e/service.ts';
import { backUpPostgres, copyObjects } from './back-up.ts';
import { TrainingLog } from './training-log.ts';

/*
 * The restore drill of docs/operating.md, from a backup under load to a verified service. For the
 * full drill, run `npm run restore-drill` or set RESTORE_STEPS.
 */
const steps = Number(process.env.RESTORE_STEPS ?? 4_000);
const runs = 3;
/** The fraction of objects that are removed at the end. */
const lostShare = 0.01;

/** The full drill reports its progress, with times. */
const say = (line: string): void => {
  if (process.env.RESTORE_STEPS) process.stderr.write(`${(performance.now() / 1_000).toFixed(1)} s: ${line}\n`);
};

interface Report {
  readonly checked: Readonly<Record<string, number>>;
  readonly faults: readonly { readonly object: string; readonly reason: string; readonly workspace: string }[];
}

describeWith(['postgres', 'redis', 's3'], 'a service restored from a backup under load', () => {
  let folder: string;
  let source: Service | undefined;
  let restored: Service | undefined;
  let safe: PrivateS3 | undefined;

  afterAll(async () => {
    await source?.dispose();
    await restored?.dispose();
    await safe?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('is complete, keeps working, and names each object that is removed from it', { timeout: 1_800_000 }, async () => {
    folder = await mkdtemp(join(tmpdir(), 'plotline-restore-'));
    const log = await TrainingLog.make(join(folder, 'log'), runs, steps);
    await log.write(0.1);
    say('the log is made');
    source = await Service.start({ processes: 'apart' });
    const { port } = source;
    safe = await startS3();
    const copies = await safe.createBucket();

    // A client uploads the log while it grows; this is the load during the backup.
    const live = new Cli(source, join(folder, 'state')).spawn(['upload', '--logdir', log.folder]);
    let experimentId = '';
    await expect.poll(async () => (experimentId = await experimentOf(source!)), { timeout: 60_000 }).not.toBe('');
    await expect.poll(() => pointsOf(source!, experimentId), { timeout: 120_000 }).toBeGreaterThan(0);
    let writing = true;
    const growing = (async () => {
      while (writing && log.share < 0.8) {
        await log.write(0.005);
        await sleep(20);
      }
    })();
    const before = await pointsOf(source, experimentId);
    say(`the backup starts, with ${before} points`);
    await backUpPostgres(source.apart.postgres.url(), join(source.dataDir, 'postgres'), join(folder, 'backup/postgres'));
    say('Postgres is backed up');
    const copied = await copyObjects(source.apart.bucket, copies.options); // after Postgres, as documented
    say(`${copied} objects are backed up`);
    await expect.poll(() => pointsOf(source!, experimentId), { timeout: 120_000 }).toBeGreaterThan(before); // there was load
    writing = false;
    await growing;

    // The disaster: all processes and backends are gone, and the client with them.
    live.child.kill('SIGKILL');
    await live.ended;
    await cp(join(source.dataDir, 'secrets'), join(folder, 'backup/secrets'), { recursive: true });
    await cp(join(source.dataDir, 'credentials.json'), join(folder, 'backup/credentials.json'));
    await source.dispose();
    source = undefined;

    // Postgres and the bucket are back before any process starts; Redis is new and empty.
    const dataDir = join(folder, 'restored');
    await mkdir(dataDir, { mode: 0o700 });
    await cp(join(folder, 'backup'), dataDir, { recursive: true });
    const restoring = await Service.prepare({
      processes: 'apart',
      dataDir,
      port,
      onBackends: async (service) => say(`${await copyObjects(copies.options, service.bucket)} objects are restored`),
    });
    restored = restoring;
    await restoring.start();
    const found = await pointsOf(restoring, experimentId);
    expect(found).toBeGreaterThan(0);
    say(`the service runs again, with ${found} points`);
    const check = await admin(restoring, 'check', '--checksums');
    expect([check.code, check.report.faults]).toEqual([0, []]);
    say(`every checksum is right: ${JSON.stringify(check.report.checked)}`);

    // The client sends the data that the backup does not have, and the rest.
    await log.write(1);
    const cli = new Cli(restoring, join(folder, 'state'));
    const uploaded = await cli.json<Uploaded>('upload', '--logdir', log.folder, '--one-shot');
    expect(uploaded).toMatchObject({ experiment_id: experimentId, files: runs, damaged: [] });
    expect(uploaded.points).toBe(runs * steps * 2);
    say(`the client has uploaded all ${uploaded.points} points`);
    const verified = await cli.run('verify', experimentId, '--logdir', log.folder);
    expect([verified.code, verified.stdout + verified.stderr]).toEqual([0, expect.stringContaining('byte for byte')]);
    say('every byte and point is verified');

    // Objects newer than the backup have no rows. Without these objects, each remaining object has
    // a row.
    await restoring.apart.programs.start('ingest', 1, { PLOTLINE_ORPHAN_GRACE_SECONDS: '1' });
    const objects = await openBlobStore(restoring.apart.bucket);
    const clean = async (): Promise<Report> => {
      const { code, report } = await admin(restoring, 'check');
      expect([code, report.faults]).toEqual([0, []]);
      return report;
    };
    const orphans = async (): Promise<number> => {
      const { checked } = await clean();
      const count = (await keysOf(objects)).length - sum(checked);
      say(`${count} orphans`);
      return count;
    };
    await expect.poll(orphans, { timeout: 600_000 }).toBe(0);
    say('nothing is missing, and orphans are removed');

    const all = await keysOf(objects);
    expect(all.length).toBeGreaterThan(100);
    const random = seededRandom(29);
    const lost = all.toSorted(() => random() - 0.5).slice(0, Math.ceil(all.length * lostShare));
    const kept = new Map<string, Buffer>();
    for (const object of lost) {
      kept.set(object.key, await objects.get(object.tenantId, object.key));
      await objects.delete(object.tenantId, object.key);
    }
    const lacking = await admin(restoring, 'check');
    expect(lacking.code).toBe(3);
    expect(lacking.report.faults.map(({ object, reason, workspace }) => `${workspace} ${object} ${reason}`).sort()).toEqual(
      lost.map(({ tenantId, key }) => `${tenantId} ${key} missing`).sort(),
    );
    for (const { tenantId, key } of lost) await objects.put(tenantId, key, kept.get(key)!);
    await clean();
    say(`${uploaded.points} points in ${all.length} objects; of ${lost.length} that were removed, all were named`);
  });
});

async function experimentOf(service: Service): Promise<string> {
  const { experiments } = await service.json<{ experiments: { id: string }[] }>('/experiments');
  return experiments[0]?.id ?? '';
}

async function pointsOf(service: Service, experimentId: string): Promise<number> {
  const { series } = await service.json<{ series: { points: number }[] }>(`/experiments/${experimentId}/series`);
  return series.reduce((points, entry) => points + entry.points, 0);
}

async function admin(service: Service, ...args: string[]): Promise<{ code: number | null; report: Report }> {
  const child = spawn(process.execPath, [...nodeArgumentsOf('admin'), ...args], {
    cwd: '/',
    env: { ...service.apart.environment, PLOTLINE_DATA_DIR: service.dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { code, stdout, stderr } = await outputOf(child);
  if (stdout === '') throw new Error(`admin ${args.join(' ')} exited with ${code}: ${stderr}`);
  return { code, report: JSON.parse(stdout) as Report };
}

/** Returns the workspaces' objects in the bucket. */
async function keysOf(objects: BlobStore): Promise<{ tenantId: TestTenantId; key: string }[]> {
  const keys = [];
  for await (const { tenantId, key } of objects.list(null, '')) keys.push({ tenantId, key });
  return keys.sort((a, b) => (a.key < b.key ? -1 : 1));
}

type TestTenantId = Parameters<BlobStore['get']>[0];

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
