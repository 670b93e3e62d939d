import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBlobStore } from '#blobs';
import { describeWith } from '#testing';
import { recordsOf, type TestEvent } from '../../apps/ingest/src/testing/deletion-world.ts';
import { Cli, Service } from '../e2e/service.ts';
import { findTraces } from './traces.ts';

const graceSeconds = 8;

/* Reliability test 71, through the doors of the whole system. */
describeWith(['postgres', 'redis', 's3'], 'a deletion in the middle of an upload, by processes apart', () => {
  let service: Service;
  let cli: Cli;
  let folder: string;
  const canaries: string[] = [];

  beforeAll(async () => {
    service = await Service.start({ processes: 'apart', env: { PLOTLINE_ORPHAN_GRACE_SECONDS: String(graceSeconds) } });
    folder = await mkdtemp(join(tmpdir(), 'plotline-deletion-'));
    cli = new Cli(service, folder);
  });
  afterAll(async () => {
    await service?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  /** A log directory whose names, tags, texts and blobs hold the canary. */
  async function logdir(canary: string): Promise<string> {
    const dir = join(folder, canary);
    for (const run of ['a', 'b']) {
      await mkdir(join(dir, `${run} ${canary}`), { recursive: true });
      const events = Array.from({ length: 120 }, (_, i): TestEvent => ({
        step: BigInt(i),
        values: [
          { tag: `loss ${canary}`, scalar: i },
          { tag: `note ${canary}`, text: `${canary} ${i}` },
          { tag: `shown ${canary}`, images: [Buffer.concat([Buffer.from(canary), randomBytes(20_000)])] },
        ],
      }));
      await writeFile(join(dir, `${run} ${canary}`, `events.out.tfevents.${run}.${canary}`), recordsOf(events, true));
    }
    return dir;
  }

  interface Listed {
    readonly experiments: readonly { readonly id: string; readonly bytes: number }[];
  }

  async function until<T>(look: () => Promise<T | null | undefined | false>, what: string): Promise<T> {
    for (const end = Date.now() + 60_000; ;) {
      const found = await look();
      if (found) return found;
      if (Date.now() > end) throw new Error(`it did not come to this within a minute: ${what}`);
      await sleep(50);
    }
  }

  it.each(['experiment', 'run', 'tag'] as const)('of its %s ends with nothing left', async (what) => {
    const canary = randomBytes(16).toString('hex');
    canaries.push(canary);
    const upload = cli.spawn(['upload', '--logdir', await logdir(canary), '--name', `name ${canary}`, '--description', canary]);
    const { id } = await until(async () => {
      const { experiments } = await service.json<Listed>('/experiments?page_size=1000');
      return experiments.find(({ bytes }) => bytes > 0);
    }, 'some bytes of the upload are acknowledged');
    const parts =
      what === 'experiment' ? [] : what === 'run' ? ['--run', `a ${canary}`] : ['--tag', `loss ${canary}`, '--tag', `shown ${canary}`];
    if (what !== 'tag') await cli.json('delete', id, ...parts, '--wait', '--yes');
    upload.child.kill('SIGINT');
    await upload.ended;
    if (what === 'tag') {
      const { deletion } = await cli.json<{ deletion: { state: string; kind: string } }>('delete', id, ...parts, '--wait', '--yes');
      expect(deletion).toMatchObject({ state: 'done', kind: 'points' });
      const { series } = await service.json<{ series: { tag: string }[] }>(`/experiments/${id}/series?unlisted=true`);
      expect(series.filter(({ tag }) => tag.startsWith('loss') || tag.startsWith('shown'))).toEqual([]);
      const bucket = await openBucket();
      const kinds = new Set<string>();
      for await (const { key } of bucket.list(null, 'blob/')) kinds.add(key);
      expect([...kinds]).toEqual([]);
      const exported = await cli.run('export', id, '--outdir', join(folder, 'out'));
      expect(exported).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be given back') as string });
    }
    if (what !== 'experiment') await cli.json('delete', id, '--wait', '--yes');
  });

  async function openBucket() {
    const [bucket] = await listBuckets();
    const { endpoint, region, accessKeyId, secretAccessKey } = service.apart.s3;
    return openBlobStore({ kind: 's3', endpoint, bucket: bucket!, region, accessKeyId, secretAccessKey, checksums: 'when-required' });
  }

  async function listBuckets(): Promise<string[]> {
    const { readdir } = await import('node:fs/promises');
    return (await readdir(service.apart.s3.folder, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name);
  }

  it('leaves no trace in tables, bucket, Redis or logs once the grace is over', async () => {
    const bucket = await openBucket();
    const database = service.apart.postgres.url(undefined, 'plotline');
    await until(async () => (await findTraces(database, bucket, canaries)).length === 0, 'nothing is found any more');
    expect(await findTraces(database, bucket, canaries)).toEqual([]);
    const redis = new Redis(service.apart.redis.url);
    const kept = [];
    for (const key of await redis.keys('*')) kept.push(key, (await redis.dumpBuffer(key))?.toString('latin1') ?? '');
    redis.disconnect();
    const told = kept.join('\n') + service.output;
    expect(canaries.filter((canary) => told.includes(canary))).toEqual([]);
    expect(service.output.length).toBeGreaterThan(0);
  });
});
