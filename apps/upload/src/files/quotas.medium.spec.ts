import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '#auth';
import { type ExperimentId, type FileId, largestQuota } from '#model';
import { fileIdOf } from '#model/testing';
import { type LimitsChange, readUsage, writeWorkspaceLimits } from '#store';
import { describeWith } from '#testing';
import { digestOf, type UploadClient, UploadService, type ApiResponse } from '../testing/upload-service.ts';

const KiB = 1024;

describeWith(['postgres'], 'upload quotas', () => {
  let service: UploadService;
  let other: UploadService;
  beforeAll(async () => {
    service = await UploadService.start();
    other = await UploadService.start({ beside: service });
  });
  afterAll(async () => {
    await other?.stop();
    await service?.stop();
  });

  /** A client of a new workspace with these limits. */
  async function workspace(change: Omit<LimitsChange, 'by'>): Promise<UploadClient> {
    const client = await service.newClient();
    await set(client, change);
    return client;
  }

  async function set({ tenantId }: UploadClient, change: Omit<LimitsChange, 'by'>): Promise<void> {
    expect(await service.operate((_, inTenant) => writeWorkspaceLimits(inTenant(tenantId), { ...change, by: 'test' }))).toBe(true);
  }

  const usage = ({ tenantId }: UploadClient) => service.store.withTenant(tenantId, (scope) => readUsage(scope), { readOnly: true });

  /** The sum over the workspace's segment rows, which does not depend on any counter. */
  async function storedBytes({ tenantId }: UploadClient): Promise<number> {
    const rows = await service.store.withTenant(tenantId, ({ trx }) =>
      trx.selectFrom('segment').select('length').where('tenant_id', '=', tenantId).execute(),
    );
    return rows.reduce((sum, { length }) => sum + length, 0);
  }

  /** Waits until the cache of a workspace expires in a process. */
  async function untilHeard(client: UploadClient, heard: () => Promise<boolean>): Promise<void> {
    await expect.poll(heard, { timeout: 5_000, interval: 50, message: `of workspace ${client.tenantId}` }).toBe(true);
  }

  it('accept ranges up to the last byte; reject the next one with quota, limit and use, and store none of it', async () => {
    const client = await workspace({ quotas: { bytes: 100 * KiB } });
    const { fileId } = await client.newFile();
    expect((await client.append(fileId, 0, randomBytes(60 * KiB))).status).toBe(204);
    const tooMuch = await client.append(fileId, 60 * KiB, randomBytes(41 * KiB));
    expect([tooMuch.status, tooMuch.json]).toEqual([
      403,
      expect.objectContaining({ code: 'quota-exceeded', quota: 'bytes', limit: 100 * KiB, used: 60 * KiB }),
    ]);
    const fits = await client.append(fileId, 60 * KiB, randomBytes(40 * KiB));
    expect(fits.status).toBe(204);
    expect(fits.headers['ratelimit']).toContain('"stored";r=0');
    expect(fits.headers['ratelimit-policy']).toContain(`"stored";q=${100 * KiB};qu="content-bytes"`);
    expect((await client.append(fileId, 100 * KiB, randomBytes(1))).json).toMatchObject({ code: 'quota-exceeded', used: 100 * KiB });
    expect(await storedBytes(client)).toBe(100 * KiB);
    expect((await usage(client)).originalBytes).toBe(100 * KiB);
    expect((await client.position(fileId)).headers['upload-offset']).toBe(String(100 * KiB));
  });

  it('count ranges beyond the prefix on arrival, and not again when the prefix reaches them', async () => {
    const client = await workspace({ quotas: { bytes: 10 * KiB } });
    const { fileId } = await client.newFile();
    const bytes = randomBytes(10 * KiB);
    const part = (at: number, length: number) => client.append(fileId, at, bytes.subarray(at, at + length));
    expect((await part(4 * KiB, 6 * KiB)).status).toBe(204);
    expect((await usage(client)).originalBytes).toBe(6 * KiB);
    expect((await client.append(fileId, 20 * KiB, randomBytes(5 * KiB))).json).toMatchObject({ code: 'quota-exceeded', used: 6 * KiB });
    expect((await part(0, 4 * KiB)).status).toBe(204);
    expect((await usage(client)).originalBytes).toBe(10 * KiB);
    // Repeating the same range after a lost response adds nothing.
    await set(client, { quotas: { bytes: largestQuota } });
    await untilHeard(client, async () => (await part(0, 4 * KiB)).status === 204);
    expect((await usage(client)).originalBytes).toBe(10 * KiB);
  });

  it('are exceeded by at most one range per connection, over many tokens and two processes; everything acknowledged is stored', async () => {
    const limit = 256 * KiB;
    const range = 7 * KiB;
    const client = await workspace({ quotas: { bytes: limit } });
    const connections = 12;
    const sums = await Promise.all(
      Array.from({ length: connections }, async (_, i) => {
        const { fileId } = await client.newFile();
        const token = await createToken(service.store, { ...client.owner, name: `connection ${i}` });
        let sent = 0;
        for (;;) {
          const response = await send((i % 2 === 0 ? service : other).port, token, fileId, sent, randomBytes(range));
          if (response.status === 204) sent += range;
          else if (response.status === 429) expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
          else {
            expect(response.json).toMatchObject({ code: 'quota-exceeded', quota: 'bytes', limit });
            return sent;
          }
        }
      }),
    );
    const acknowledged = sums.reduce((all, one) => all + one, 0);
    expect(acknowledged).toBeLessThanOrEqual(limit + connections * range);
    expect(acknowledged).toBeGreaterThan(limit - connections * range);
    expect(await storedBytes(client)).toBe(acknowledged);
    expect((await usage(client)).originalBytes).toBe(acknowledged);
  });

  it('reject a body that decodes to more than is left, regardless of its sent size', async () => {
    const { zstdCompressSync } = await import('node:zlib');
    const client = await workspace({ quotas: { bytes: 64 * KiB } });
    const { fileId } = await client.newFile();
    const bomb = zstdCompressSync(Buffer.alloc(1024 * KiB));
    const response = await client.append(fileId, 0, bomb, { 'content-encoding': 'zstd' });
    expect(response.json).toMatchObject({ code: 'quota-exceeded', quota: 'bytes', limit: 64 * KiB, used: 0 });
    expect(await storedBytes(client)).toBe(0);
  });

  it('count ingested points before another range is accepted', async () => {
    const client = await workspace({ quotas: { points: 1_000 } });
    const { fileId, experimentId } = await client.newFile();
    // This many bytes can contain this many points, so the rows are read again before more is
    // admitted.
    expect((await client.append(fileId, 0, randomBytes(64 * KiB))).status).toBe(204);
    await ingestedTo(client, experimentId, 1_000);
    const rejected = await client.append(fileId, 64 * KiB, randomBytes(100));
    expect(rejected.json).toMatchObject({ code: 'quota-exceeded', quota: 'points', limit: 1_000, used: 1_000 });
    await ingestedTo(client, experimentId, 999);
    expect((await client.append(fileId, 64 * KiB, randomBytes(100))).status).toBe(204);
  });

  /** Acts like a worker: everything that is pending becomes this many points of the run. */
  async function ingestedTo({ tenantId }: UploadClient, experimentId: ExperimentId, points: number): Promise<void> {
    await service.administer(`
      delete from pending_segment where tenant_id = '${tenantId}';
      insert into run_state (tenant_id, run_id, experiment_id, points)
        select tenant_id, run_id, experiment_id, ${points} from run where tenant_id = '${tenantId}' and experiment_id = '${experimentId}'
        on conflict (tenant_id, run_id) do update set points = excluded.points;`);
  }

  it('include a separate bound of pending bytes for a workspace', async () => {
    const client = await workspace({ quotas: { pending_bytes: 8 * KiB } });
    const { fileId } = await client.newFile();
    expect((await client.append(fileId, 0, randomBytes(9 * KiB))).status).toBe(204);
    const rejected = await client.append(fileId, 9 * KiB, randomBytes(1));
    expect([rejected.status, rejected.json['code']]).toEqual([429, 'too-much-pending']);
    expect((await (await service.newClient()).newFile()).fileId).not.toBe('');
  });

  it('reject a range whose body was in flight when the quota was lowered: none of it is stored (reliability test 40)', async () => {
    const client = await service.newClient();
    const { fileId } = await client.newFile();
    const bytes = randomBytes(KiB);
    const finish = await client.beginAppend(fileId, bytes);
    await set(client, { quotas: { bytes: 10 } });
    const { fileId: second } = await client.newFile();
    await untilHeard(client, async () => (await client.append(second, 0, randomBytes(11))).status === 403);
    expect((await finish()).status).toBe(403);
    expect((await client.position(fileId)).headers['upload-offset']).toBe('0');
  });

  it('count announced files without bytes: accept the last one, and reject the next with quota, limit and use', async () => {
    const client = await workspace({ quotas: { files: 5 } });
    const experimentId = await client.newExperiment();
    const announce = (name: string, more: object = {}) => client.open(experimentId, { run: '.', name, ...more });
    for (let n = 1; n <= 4; n++) expect((await announce(`events.out.tfevents.${n}`)).status).toBe(201);
    expect((await announce('events.out.tfevents.1', { new_version: true })).status).toBe(201);
    for (const [name, more] of [
      ['events.out.tfevents.5', {}],
      ['events.out.tfevents.1', { new_version: true }],
    ] as const) {
      const rejected = await announce(name, more);
      expect([rejected.status, rejected.json]).toEqual([
        403,
        expect.objectContaining({ code: 'quota-exceeded', quota: 'files', limit: 5, used: 5 }),
      ]);
    }
    // Clients can still find known files and upload to them.
    const known = await announce('events.out.tfevents.2');
    expect(known.status).toBe(200);
    expect((await client.append(fileIdOf(String(known.json['file_id'])), 0, randomBytes(10))).status).toBe(204);
    expect((await usage(client)).files).toBe(5);
    const runs = await service.store.withTenant(client.tenantId, ({ trx }) =>
      trx.selectFrom('run').select('name').where('tenant_id', '=', client.tenantId).execute(),
    );
    expect(runs).toHaveLength(1);
    await set(client, { quotas: { files: 6 } });
    await untilHeard(client, async () => (await announce('events.out.tfevents.6')).status === 201);
  });

  it('are exceeded by at most one file per connection, over two processes', async () => {
    const limit = 40;
    const client = await workspace({ quotas: { files: limit } });
    const experimentId = await client.newExperiment();
    let next = 0;
    const lane = async (port: number): Promise<void> => {
      for (let rejected = 0; rejected < 3;) {
        const response = await fetch(`http://127.0.0.1:${port}/api/v1/experiments/${experimentId}/files`, {
          method: 'POST',
          headers: { ...client.headers, 'content-type': 'application/json' },
          body: JSON.stringify({ run: `run ${next++}`, name: 'events.out.tfevents.1' }),
        });
        expect([201, 403]).toContain(response.status);
        if (response.status === 403) rejected++;
      }
    };
    const lanes = 8;
    await Promise.all(Array.from({ length: lanes }, (_, i) => lane([service, other][i % 2]!.port)));
    const { files } = await usage(client);
    expect(files).toBeGreaterThanOrEqual(limit);
    expect(files).toBeLessThanOrEqual(limit + lanes);
  });

  it('limit the experiments of a stock client exactly', async () => {
    const client = await workspace({ quotas: { experiments: 2 } });
    const grpc = client.grpc();
    const create = () => grpc.call('/tensorboard.service.TensorBoardWriterService/CreateExperiment', { name: 'x' });
    try {
      await create();
      await create();
      await expect(create()).rejects.toMatchObject({ details: expect.stringContaining('2 of 2 experiments') as string });
      expect((await usage(client)).experiments).toBe(2);
    } finally {
      grpc.close();
    }
  });

  it('reject the next run of a stock client, and reserve bytes for announced sequences', async () => {
    const client = await workspace({ quotas: { files: 2, bytes: 64 * KiB } });
    const experimentId = await client.newExperiment();
    const writer = '/tensorboard.service.TensorBoardWriterService';
    const grpc = client.grpc();
    const scalar = (run: string) =>
      grpc.call(`${writer}/WriteScalar`, {
        experimentId,
        runs: [{ name: run, tags: [{ name: 'loss', points: [{ step: 1, wallTime: { seconds: 1, nanos: 0 }, value: 1 }] }] }],
      });
    const announce = (tag: string) =>
      grpc.call(`${writer}/GetOrCreateBlobSequence`, {
        experimentId,
        run: 'a',
        tag,
        step: 1,
        finalSequenceLength: 2,
        metadata: Buffer.concat([Buffer.from('1280808001', 'hex'), randomBytes(20 * KiB)]),
      });
    try {
      await scalar('a');
      await scalar('b');
      await expect(scalar('c')).rejects.toMatchObject({ details: expect.stringContaining('2 of 2 event files') as string });
      await scalar('b');
      const before = (await usage(client)).originalBytes;
      await announce('one');
      expect((await usage(client)).originalBytes - before).toBeGreaterThan(20 * KiB);
      await announce('one');
      await announce('two');
      await announce('three').catch(() => undefined);
      await expect(announce('four')).rejects.toMatchObject({ details: expect.stringContaining('bytes stored') as string });
      expect((await usage(client)).originalBytes).toBeLessThanOrEqual(64 * KiB);
    } finally {
      grpc.close();
    }
  });

  it('of one workspace do not affect another', async () => {
    const [small, large] = [await workspace({ quotas: { bytes: 1 } }), await service.newClient()];
    const [one, two] = [await small.newFile(), await large.newFile()];
    expect((await small.append(one.fileId, 0, randomBytes(2))).status).toBe(403);
    expect((await large.append(two.fileId, 0, randomBytes(2))).status).toBe(204);
  });

  describe('suspension', () => {
    it('rejects uploads in all processes within five seconds, with the reason; once lifted, they continue', async () => {
      const client = await service.newClient();
      const { fileId } = await client.newFile();
      expect((await client.append(fileId, 0, randomBytes(10))).status).toBe(204);
      for (const mode of ['read-only', 'closed'] as const) {
        await set(client, { suspension: { mode, reason: 'The invoice of March is open.' } });
        for (const process of [service, other]) {
          let at = await offset(client, fileId);
          let last: ApiResponse | null = null;
          await untilHeard(client, async () => {
            last = await send(process.port, client.token, fileId, at, randomBytes(10));
            at += last.status === 204 ? 10 : 0;
            return last.status === 403 && last.json['mode'] === mode;
          });
          expect(last!.json).toMatchObject({ code: 'workspace-suspended', mode, reason: 'The invoice of March is open.' });
          expect(String(last!.json['detail'])).toContain('The invoice of March is open.');
        }
        const kept = await storedBytes(client);
        for (const process of [service, other])
          expect((await send(process.port, client.token, fileId, kept, randomBytes(10))).status).toBe(403);
        expect(await storedBytes(client)).toBe(kept);
        await set(client, { suspension: null });
        await untilHeard(client, async () => (await client.position(fileId)).status === 200);
        expect(await offset(client, fileId)).toBe(kept);
      }
      await untilHeard(client, async () => (await client.append(fileId, await offset(client, fileId), randomBytes(10))).status === 204);
    });

    it('rejects a range whose body was in flight: none of it is stored', async () => {
      const client = await service.newClient();
      const { fileId } = await client.newFile();
      const bytes = randomBytes(100);
      const finish = await client.beginAppend(fileId, bytes);
      await set(client, { suspension: { mode: 'read-only', reason: 'Moving.' } });
      await untilHeard(client, async () => (await client.position(fileId)).status === 403);
      expect((await finish()).status).toBe(403);
      expect(await storedBytes(client)).toBe(0);
    });
  });

  async function offset(client: UploadClient, fileId: FileId): Promise<number> {
    const rows = await service.store.withTenant(client.tenantId, ({ trx }) =>
      trx
        .selectFrom('event_file')
        .select('durable_offset')
        .where('tenant_id', '=', client.tenantId)
        .where('file_id', '=', fileId)
        .execute(),
    );
    return Number(rows[0]!.durable_offset);
  }

  function send(port: number, token: string, fileId: FileId, at: number, body: Uint8Array): Promise<ApiResponse> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'upload-offset': String(at), 'content-digest': digestOf(body) };
      const request = httpRequest(
        { host: '127.0.0.1', port, method: 'PATCH', path: `/api/v1/files/${fileId}`, headers, agent: false },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
          response.on('error', reject).on('end', () =>
            resolve({
              status: response.statusCode!,
              headers: response.headers,
              json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
            }),
          );
        },
      );
      request.on('error', reject).end(body);
    });
  }
});
