import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { FolderBlobStore } from '#blobs';
import { type ExportJob, findExportJob, insertExportJob, Store } from '#store';
import { openExport, surveyExport } from '#exports';
import type { ExperimentId } from '#model';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { publishEpochs } from '../publish/publish-epochs.ts';
import { DeletionWorld, recordsOf, type TestTenant } from '../testing/deletion-world.ts';

/* Set EXPORT_KILLS=50 for a long run. */
const kills = Number(process.env['EXPORT_KILLS'] ?? 5);
const points = 60_000;

describeWith(['postgres'], 'an export whose process is killed', () => {
  let database: TestDatabase;
  let store: Store;
  let folder: string;
  let blobs: FolderBlobStore;
  let tenant: TestTenant;
  let experimentId: ExperimentId;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    folder = await mkdtemp(join(tmpdir(), 'plotline-export-kills-'));
    blobs = await FolderBlobStore.open(folder);
    const world = new DeletionWorld(store, blobs);
    tenant = await world.tenant();
    experimentId = await world.experiment(tenant);
    const fileId = await world.open(tenant, experimentId, 'train', 'events.1');
    const events = Array.from({ length: points }, (_, i) => ({ step: BigInt(i), values: [{ tag: 'loss', scalar: Math.fround(i / 7) }] }));
    await world.append(tenant, experimentId, fileId, 0, recordsOf(events, true));
    await world.ingest(tenant);
    await publishEpochs(store, tenant.tenantId, experimentId, { listeners: [] });
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** Requests an export with distinct content: one of its tags does not exist. */
  const request = (number: number): Promise<ExportJob> =>
    store.withTenant(tenant.tenantId, async (scope) => {
      const selection = { experimentId, format: 'csv' as const, runs: null, tags: ['loss', `none ${number}`] };
      const survey = (await surveyExport(scope, selection))!;
      return insertExportJob(scope, { exportId: randomUUID(), ...selection, contentKey: Buffer.from(survey.fingerprint, 'hex') });
    });
  const find = (exportId: string): Promise<ExportJob | null> =>
    store.withTenant(tenant.tenantId, (scope) => findExportJob(scope, experimentId, exportId));

  async function work(exportId: string, failpoints: string): Promise<NodeJS.Signals | null> {
    const script = join(import.meta.dirname, 'testing/export-process.ts');
    const about = [database.appUrl, database.ingestUrl, folder, tenant.tenantId, exportId];
    const child = spawn(process.execPath, ['--conditions=source', script, ...about], {
      stdio: ['ignore', 'inherit', 'pipe'],
      env: { ...process.env, PLOTLINE_FAILPOINTS: failpoints },
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (signal === null) expect(code, complaint).toBe(0);
    return signal;
  }

  it(`finishes with one correct result after ${kills} kills`, { timeout: 60_000 + kills * 20_000 }, async () => {
    const digests = new Set<string>();
    let killed = 0;
    let takenOver = 0;
    for (let number = 0; killed < kills; number++) {
      const { exportId } = await request(number);
      for (let attempt = 0; (await find(exportId))?.state !== 'finished'; attempt++) {
        const seed = number * 100 + attempt;
        const armed = killed < kills ? `seed=${seed},during-export=kill:0.6,before-export-finished=kill:0.6` : '';
        if ((await work(exportId, armed)) === 'SIGKILL') killed++;
        // The lease is live: no other process may take over before it expires.
        await vi.waitFor(
          async () => {
            const { rows } = await store.withTenant(tenant.tenantId, ({ trx }) =>
              trx
                .selectFrom('export_job')
                .select('worker_until')
                .where('export_id', '=', exportId)
                .where((where) => where('worker_until', '>', where.fn<Date>('now')))
                .execute()
                .then((found) => ({ rows: found })),
            );
            expect(rows).toEqual([]);
          },
          { timeout: 10_000, interval: 100 },
        );
      }
      const job = (await find(exportId))!;
      const place = { blobs, tenantId: tenant.tenantId, now: async () => Date.now(), fingerprint: job.snapshot! };
      const stored = (await openExport(place))!;
      const [file] = stored.manifest.files;
      const hash = createHash('sha256');
      for await (const piece of stored.read(0, 0, file!.bytes)) hash.update(piece);
      expect(hash.digest('hex')).toBe(file!.sha256);
      digests.add(file!.sha256);
      expect(job).toMatchObject({ points, files: 1, bytes: file!.bytes, problem: null });
      const ends: string[] = [];
      for await (const { key } of blobs.list(tenant.tenantId, `snapshot/${job.snapshot!}/final-`)) ends.push(key);
      const complete = await Promise.all(ends.map(async (key) => JSON.parse((await blobs.get(tenant.tenantId, key)).toString()) as object));
      takenOver += complete.length - 1;
      expect(complete.filter((end) => 'complete' in end && end.complete === true)).toHaveLength(1);
    }
    // The rows are the same, no matter which process was killed.
    expect(digests.size).toBe(1);
    expect(takenOver).toBeGreaterThan(0);
  });
});
