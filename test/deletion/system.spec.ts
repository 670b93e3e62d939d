import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToken } from '#auth';
import { type BlobStore, openBlobStore } from '#blobs';
import type { ExperimentId, TenantId } from '#model';
import { tenantIdOf } from '#model/testing';
import { insertMember, insertPerson, insertWorkspace, listDeletions, readDeletion, Store } from '#store';
import { describeWith } from '#testing';
import { formatBytes } from '../../apps/cli/src/report.ts';
import { recordsOf, type TestEvent } from '../../apps/ingest/src/testing/deletion-world.ts';
import { valuesOf } from '../apart/redis-values.ts';
import { type RedisWatch, watchRedis } from '../apart/watch-redis.ts';
import { Cli, Service } from '../e2e/service.ts';
import { findTraces } from './traces.ts';
import { workspaceRows } from './workspace-rows.ts';

const graceSeconds = 8;
const kinds = ['experiment', 'run', 'tag', 'steps', 'workspace'] as const;
/** One round of each kind; DELETION_SYSTEM_ROUNDS=50 runs the full set. */
const rounds = Number(process.env.DELETION_SYSTEM_ROUNDS ?? kinds.length);

/** Tables that still have a workspace's rows after all its experiments were deleted. */
const staying = [
  'access_token',
  'audit_entry',
  'deletion',
  'idempotency_key',
  'person_workspace',
  'token_route',
  'workspace',
  'workspace_member',
];

/** The workspace of a round, with its owner's token. */
interface Lab {
  readonly kind: (typeof kinds)[number];
  readonly canary: string;
  readonly name: string;
  readonly tenantId: TenantId;
  readonly personId: string;
  readonly token: string;
}

/** Events logged before the upload starts; more are added continuously. */
const firstEvents = 120;

/* Reliability test 71 through the public interfaces of the whole system. */
describeWith(['postgres', 'redis', 's3'], 'a deletion during an upload, with separate processes', () => {
  let service: Service;
  let store: Store;
  let bucket: BlobStore;
  let watch: RedisWatch;
  let folder: string;
  const labs: Lab[] = [];
  const adminUrl = () => service.apart.postgres.url(undefined, 'plotline');

  beforeAll(async () => {
    service = await Service.start({
      processes: 'apart',
      env: { PLOTLINE_ORPHAN_GRACE_SECONDS: String(graceSeconds), PLOTLINE_LOG_LEVEL: 'debug' },
    });
    store = new Store({ appUrl: service.apart.postgres.url('plotline_app', 'plotline') });
    bucket = await openBlobStore(service.apart.bucket);
    watch = await watchRedis(service.apart.redis.url);
    folder = await mkdtemp(join(tmpdir(), 'plotline-deletion-'));
  });
  afterAll(async () => {
    watch?.close();
    await store?.close();
    await service?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  /**
   * Creates a workspace with an owner whose name contains the canary. If the workspace is to be
   * deleted, its name contains the canary too.
   */
  async function newLab(kind: Lab['kind']): Promise<Lab> {
    const canary = randomBytes(16).toString('hex');
    const goes = kind === 'workspace';
    const [tenantId, personId, name] = [tenantIdOf(randomUUID()), randomUUID(), goes ? `lab ${canary}` : 'lab'];
    await insertPerson(store.global, personId, goes ? `Ada ${canary}` : 'Ada');
    await store.withTenant(tenantId, async (scope) => {
      await insertWorkspace(scope, name);
      await insertMember(scope, personId, 'owner');
    });
    const token = await createToken(store, { tenantId, personId, name: goes ? `token ${canary}` : 'token' });
    const lab = { kind, canary, name, tenantId, personId, token };
    labs.push(lab);
    return lab;
  }

  const fileOf = (canary: string, run: string) => join(folder, canary, `${run} ${canary}`, `events.out.tfevents.${run}.${canary}`);

  const event = (canary: string, step: number): TestEvent => ({
    step: BigInt(step),
    values: [
      { tag: `loss ${canary}`, scalar: step },
      { tag: `note ${canary}`, text: `${canary} ${step}` },
      { tag: `shown ${canary}`, images: [Buffer.concat([Buffer.from(canary), randomBytes(20_000)])] },
    ],
  });

  /**
   * Writes a log directory with the canary in names, tags, texts and blobs; returns its size. The
   * training continues until `over` returns true.
   */
  async function train(canary: string, over: () => boolean): Promise<{ readonly bytes: number; readonly ended: Promise<void> }> {
    let bytes = 0;
    for (const run of ['a', 'b']) {
      await mkdir(join(folder, canary, `${run} ${canary}`), { recursive: true });
      const events = Array.from({ length: firstEvents }, (_, i) => event(canary, i));
      const records = recordsOf(events, true);
      await writeFile(fileOf(canary, run), records);
      bytes += records.length;
    }
    const goOn = async (): Promise<void> => {
      for (let step = firstEvents; !over(); step++) {
        for (const run of ['a', 'b']) await appendFile(fileOf(canary, run), recordsOf([event(canary, step)], false));
        await sleep(50);
      }
    };
    return { bytes, ended: goOn() };
  }

  async function ask<T>({ token }: Lab, path: string, init: RequestInit = {}): Promise<T> {
    const response = await service.fetch(path, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    const text = await response.text();
    expect([path, response.ok, text]).toEqual([path, true, text]);
    return JSON.parse(text) as T;
  }

  async function until<T>(look: () => Promise<T | null | undefined | false>, what: string): Promise<T> {
    for (const end = Date.now() + 60_000; ;) {
      const found = await look();
      if (found) return found;
      if (Date.now() > end) throw new Error(`not within a minute: ${what}`);
      await sleep(50);
    }
  }

  interface Listed {
    readonly experiments: readonly { readonly id: ExperimentId; readonly bytes: number }[];
  }

  interface ListedSeries {
    readonly series: readonly { readonly tag: string; readonly points: number; readonly first_step: number | null }[];
  }

  it.each(Array.from({ length: rounds }, (_, i) => [i, kinds[i % kinds.length]!] as const))(
    'round %i, of its %s, leaves nothing behind',
    { timeout: 600_000 },
    async (_round, kind) => {
      const lab = await newLab(kind);
      const { canary, tenantId } = lab;
      const cli = new Cli(service, join(folder, `state ${canary}`), { PLOTLINE_TOKEN: lab.token });
      let over = false;
      const training = await train(canary, () => over);
      const upload = cli.spawn(['upload', '--logdir', join(folder, canary), '--name', `name ${canary}`, '--description', canary]);
      const stop = async (): Promise<void> => {
        over = true;
        await training.ended;
        upload.child.kill('SIGINT');
        await upload.ended;
      };
      try {
        // A deletion of points removes only data that was acknowledged before, so these deletions
        // wait for their data.
        const enough = kind === 'steps' ? training.bytes : 1;
        const { id } = await until(async () => {
          const { experiments } = await ask<Listed>(lab, '/experiments?page_size=1000');
          return experiments.find(({ bytes }) => bytes >= enough);
        }, 'some bytes of the upload are acknowledged');
        const fileIds = await store.withTenant(tenantId, ({ trx }) =>
          trx.selectFrom('event_file').select('file_id').where('tenant_id', '=', tenantId).execute(),
        );
        expect(fileIds.length).toBeGreaterThan(0);
        expect([upload.child.exitCode, upload.child.signalCode]).toEqual([null, null]);
        if (kind === 'workspace') await deleteWorkspace(lab);
        else if (kind === 'experiment') await cli.json('delete', id, '--wait', '--yes');
        else if (kind === 'run') await cli.json('delete', id, '--run', `a ${canary}`, '--wait', '--yes');
        else if (kind === 'steps') await deleteSteps(lab, cli, id);
        else await cli.json('delete', id, ...tagsOf(lab), '--wait', '--yes');
        await stop();
        // A deletion covers only the uploaded part of a tag; this deletes the rest.
        if (kind === 'tag') await deleteTags(lab, cli, id);
        if (kind !== 'experiment' && kind !== 'workspace') await cli.json('delete', id, '--wait', '--yes');
        // Processes cache a token for a few seconds.
        const rejections = kind === 'workspace' ? [401, 404] : [404];
        for (const { file_id: fileId } of fileIds) expect(rejections).toContain(await appendLate(lab, fileId));
      } finally {
        await stop();
      }
    },
  );

  /** Appends a range to a deleted file; returns the status. */
  async function appendLate({ token, canary }: Lab, fileId: string): Promise<number> {
    const bytes = recordsOf([event(canary, 0)], true);
    const response = await service.fetch(`/files/${fileId}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${token}`,
        'upload-offset': '0',
        'content-digest': `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`,
        'content-type': 'application/octet-stream',
      },
      body: new Uint8Array(bytes),
    });
    await response.body?.cancel();
    return response.status;
  }

  async function deleteWorkspace(lab: Lab): Promise<void> {
    const { tenantId, name } = lab;
    const { id } = await ask<{ id: string }>(lab, '/workspace', { method: 'DELETE', body: JSON.stringify({ name }) });
    // Once the deletion is done, the API no longer has a route to it.
    const read = () => store.withTenant(tenantId, (scope) => readDeletion(scope, id));
    const done = await until(async () => {
      const deletion = await read();
      return deletion?.finishedAt ? deletion : null;
    }, 'the workspace is deleted');
    expect(done).toMatchObject({ kind: 'workspace', requestedBy: null, objectsLeft: 0 });
    expect(done.removed).toMatchObject({ runs: expect.toSatisfy((runs: number) => runs > 0) as number });
  }

  async function deleteSteps(lab: Lab, cli: Cli, id: ExperimentId): Promise<void> {
    const { stdout, stderr, code } = await cli.run('delete', id, '--steps', '0..60', '--wait', '--yes');
    expect([code, stderr]).toEqual([0, '']);
    const [deletion] = await store.withTenant(lab.tenantId, (scope) => listDeletions(scope, id, 1));
    const { points, files, bytes } = deletion!.removed;
    // Three tags in two runs, each step once.
    expect(points).toBe(61 * 3 * 2);
    expect(bytes).toBeGreaterThan(0);
    expect(files).toBe(0);
    expect(stdout).toBe(
      `Deleted steps 0..60 of ${id}: ${points} points removed, 2 files rewritten without them, ${formatBytes(bytes)} reclaimed.\n`,
    );
    const { series } = await ask<ListedSeries>(lab, `/experiments/${id}/series?unlisted=true`);
    expect(series).toHaveLength(3 * 2);
    for (const { first_step: first } of series) expect(first).toBe(61);
  }

  const tagsOf = ({ canary }: Lab) => ['--tag', `loss ${canary}`, '--tag', `shown ${canary}`];

  async function deleteTags(lab: Lab, cli: Cli, id: string): Promise<void> {
    const { canary, tenantId } = lab;
    const { deletion } = await cli.json<{ deletion: { state: string; kind: string; removed: { bytes: number } } }>(
      'delete',
      id,
      ...tagsOf(lab),
      '--wait',
      '--yes',
    );
    expect(deletion).toMatchObject({ state: 'done', kind: 'points' });
    expect(deletion.removed.bytes).toBeGreaterThan(0);
    const { series } = await ask<ListedSeries>(lab, `/experiments/${id}/series?unlisted=true`);
    expect(series.filter(({ tag }) => tag.startsWith('loss') || tag.startsWith('shown'))).toEqual([]);
    const blobs: string[] = [];
    for await (const { key } of bucket.list(tenantId, 'blob/')) blobs.push(key);
    expect(blobs).toEqual([]);
    // The remaining content of the files can still be exported.
    const out = join(folder, `out ${canary}`);
    const exported = await cli.run('export', id, '--outdir', out);
    expect(exported).toMatchObject({ code: 0, stderr: expect.stringContaining('without deleted points') as string });
    for (const run of ['a', 'b']) {
      const content = await readFile(fileOf(canary, run).replace(join(folder, canary), out));
      expect(content.includes(`note ${canary}`)).toBe(true);
      for (const tag of ['loss', 'shown']) expect(content.includes(`${tag} ${canary}`)).toBe(false);
    }
  }

  it('leaves no trace in tables, bucket, Redis or logs once the grace period is over', { timeout: 600_000 }, async () => {
    expect(labs).toHaveLength(rounds);
    const canaries = labs.map(({ canary }) => canary);
    const objects = async (): Promise<string[]> => {
      const keys: string[] = [];
      for await (const { tenantId, key } of bucket.list(null, '')) keys.push(`${tenantId} ${key}`);
      return keys;
    };
    // Objects are compressed, so the search would not find a canary in an object; no objects may
    // remain.
    await until(async () => (await objects()).length === 0, 'no object is left');
    expect(await findTraces(adminUrl(), bucket, canaries)).toEqual([]);
    expect(await objects()).toEqual([]);
    for (const { kind, tenantId } of labs) {
      const rows = await workspaceRows(adminUrl(), tenantId);
      if (kind === 'workspace') expect(rows).toEqual({ deletion: 1 });
      else expect(Object.keys(rows).filter((table) => !staying.includes(table))).toEqual([]);
    }

    const redis = new Redis(service.apart.redis.url);
    try {
      await redis.set('planted', canaries[0]!);
      const kept: string[] = [];
      for (const name of await redis.keys('*')) kept.push(name, ...(await valuesOf(redis, name)));
      const inRedis = (text: string) => canaries.filter((canary) => text.includes(canary));
      // Shows that the search finds a canary.
      expect(inRedis(kept.join('\n'))).toEqual([canaries[0]]);
      await redis.del('planted');
      expect(inRedis(kept.filter((value) => value !== canaries[0]).join('\n'))).toEqual([]);
    } finally {
      redis.disconnect();
    }
    // Jobs do not remain in Redis, so this checks all commands ever sent.
    const sent = watch.lines().filter((command) => !command.includes('"planted"'));
    const postgresLog = await readFile(join(service.dataDir, 'postgres.log'), 'utf8');
    for (const [where, text] of [
      ['Redis', sent.join('\n')],
      ['the Postgres log', postgresLog],
      ['the logs', service.output],
    ] as const) {
      expect([where, text.length > 0]).toEqual([where, true]);
      expect([where, canaries.filter((canary) => text.includes(canary))]).toEqual([where, []]);
    }
    // Shows that the search sees jobs, which contain IDs.
    expect(labs.filter(({ tenantId }) => !sent.some((command) => command.includes(tenantId)))).toEqual([]);
  });
});
