import { request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { codecOf } from '#grpc';
import type { GrpcTestClient } from '#grpc/testing';
import { type ExperimentId, type FileBatch, limits } from '#model';
import { experimentIdOf } from '#model/testing';
import { PointCollector } from '#points';
import type {
  CreateExperimentResponse,
  GetBlobMetadataResponse,
  GetOrCreateBlobSequenceResponse,
  Sent,
  ServerInfoResponse,
  WriteBlobRequest,
  WriteBlobResponse,
  WriteScalarRequest,
} from '#protocols';
import { RecordReader } from '#records';
import { ensureRun, readFileVersions } from '#store';
import { describeWith } from '#testing';
import { type UploadClient, UploadService } from '../testing/upload-service.ts';
import { uploaderFile } from './uploader-requests.ts';

const writer = '/tensorboard.service.TensorBoardWriterService';
const scalars = Buffer.from('0a090a077363616c61727312046c6f73732001', 'hex');
const graphs = Buffer.from('0a080a06677261706873', 'hex');

const time = (seconds: number) => ({ seconds, nanos: 500_000_000 });
const points = (...steps: number[]) => steps.map((step) => ({ step, wallTime: time(1_700_000_000 + step), value: step / 10 }));
const scalarRequest = (experimentId: ExperimentId, runs: Record<string, number[]>): Sent<WriteScalarRequest> => ({
  experimentId,
  runs: Object.entries(runs).map(([name, steps]) => ({ name, tags: [{ name: 'loss', points: points(...steps), metadata: scalars }] })),
});

describeWith(['postgres'], 'the writer service', () => {
  let service: UploadService;
  let client: UploadClient;
  let grpc: GrpcTestClient;

  beforeAll(async () => {
    service = await UploadService.start();
    client = await service.newClient();
    grpc = client.grpc();
  });
  afterEach(async () => {
    service.dispatcher.offered.length = 0;
  });
  afterAll(async () => {
    grpc?.close();
    await service?.stop();
  });

  const create = async (name = 'x', as = grpc): Promise<ExperimentId> => {
    const { experimentId } = await as.call<CreateExperimentResponse>(`${writer}/CreateExperiment`, { name, description: '' });
    return experimentIdOf(experimentId);
  };

  /** A run, as a worker would read it. */
  async function read(experimentId: ExperimentId, run: string, owner = client): Promise<FileBatch> {
    const fileId = await service.store.withTenant(owner.tenantId, async (scope) => {
      const runId = (await ensureRun(scope, experimentId, run))!;
      return (await readFileVersions(scope, runId, uploaderFile))[0]?.fileId;
    });
    const collector = new PointCollector();
    if (fileId === undefined) return collector.take();
    const reader = new RecordReader();
    reader.push(await owner.stored(fileId), (buf, start, end, offset) => collector.event(buf, start, end, offset));
    return collector.take();
  }

  async function stepsOf(experimentId: ExperimentId, run: string): Promise<number[]> {
    const { series, problems } = await read(experimentId, run);
    expect(problems).toEqual([]);
    return series.flatMap(({ scalars: columns }) => [...(columns?.steps ?? [])].map(Number));
  }

  const code = async (call: Promise<unknown>): Promise<number> =>
    call.then(
      () => status.OK,
      (error: unknown) => (error as { code: number }).code,
    );

  it('creates, changes and deletes experiments', async () => {
    const response = await grpc.call<CreateExperimentResponse>(`${writer}/CreateExperiment`, { name: 'Mine', description: 'Of **tests**' });
    expect(response.url).toBe(`https://plots.example/e/${response.experimentId}`);
    expect(await code(grpc.call(`${writer}/CreateExperiment`, { name: 'x'.repeat(101) }))).toBe(status.INVALID_ARGUMENT);
    const experimentId = experimentIdOf(response.experimentId);
    const update = (experiment: object, experimentMask: object | null) =>
      grpc.call(`${writer}/UpdateExperiment`, { experiment: { experimentId, ...experiment }, ...(experimentMask && { experimentMask }) });
    await update({ name: 'Other', description: 'ignored' }, { name: true });
    await update({ description: 'ignored' }, null);
    const summary = async () => {
      const rows = await service.store.withTenant(client.tenantId, ({ trx }) =>
        trx.selectFrom('experiment').select(['name', 'description', 'deleted_at']).where('experiment_id', '=', experimentId).execute(),
      );
      return rows[0];
    };
    expect(await summary()).toMatchObject({ name: 'Other', description: 'Of **tests**', deleted_at: null });
    await update({ description: '' }, { description: true });
    expect(await summary()).toMatchObject({ name: 'Other', description: '' });
    expect(await code(update({ numRuns: 7 }, { numRuns: true }))).toBe(status.INVALID_ARGUMENT);
    await grpc.call(`${writer}/DeleteExperiment`, { experimentId });
    expect(await summary()).not.toMatchObject({ deleted_at: null });
    expect(await code(grpc.call(`${writer}/DeleteExperiment`, { experimentId }))).toBe(status.NOT_FOUND);
    expect(await code(grpc.call(`${writer}/WriteScalar`, scalarRequest(experimentId, { '.': [1] })))).toBe(status.NOT_FOUND);
  });

  it('appends requests to one file of each run, in order of arrival, and notifies the workers', async () => {
    const experimentId = await create();
    await grpc.call(`${writer}/WriteScalar`, scalarRequest(experimentId, { '.': [0, 1], 'a/b': [5] }));
    await grpc.call(`${writer}/WriteScalar`, scalarRequest(experimentId, { '.': [2, 1] }));
    expect(await stepsOf(experimentId, '.')).toEqual([0, 1, 2, 1]);
    expect(await stepsOf(experimentId, 'a/b')).toEqual([5]);
    expect(service.dispatcher.offered).toHaveLength(3);
    const { series } = await read(experimentId, '.');
    expect(series.map(({ meta }) => meta)).toMatchObject([{ tag: 'loss', plugin: 'scalars', dataClass: 'scalar', displayName: 'loss' }]);
    expect([...series[0]!.scalars!.wallTimes]).toEqual([1_700_000_000.5, 1_700_000_001.5, 1_700_000_002.5, 1_700_000_001.5]);
  });

  it('counts a request once, however often and concurrently it is sent', async () => {
    const experimentId = await create();
    const request = scalarRequest(experimentId, { '.': [0, 1], x: [3] });
    await Promise.all(Array.from({ length: 8 }, () => grpc.call(`${writer}/WriteScalar`, request)));
    await grpc.call(`${writer}/WriteScalar`, request);
    expect(await stepsOf(experimentId, '.')).toEqual([0, 1]);
    expect(await stepsOf(experimentId, 'x')).toEqual([3]);
    const elsewhere = await create();
    await grpc.call(`${writer}/WriteScalar`, { ...request, experimentId: elsewhere });
    expect(await stepsOf(elsewhere, '.')).toEqual([0, 1]);
  });

  it('applies concurrent requests of one experiment exactly once and completely', async () => {
    const experimentId = await create();
    const requests = Array.from({ length: 40 }, (_, i) => scalarRequest(experimentId, { [`r${i % 3}`]: [i], [`r${(i + 1) % 3}`]: [i] }));
    await Promise.all(requests.flatMap((request) => [request, request]).map((request) => grpc.call(`${writer}/WriteScalar`, request)));
    const all = (await Promise.all(['r0', 'r1', 'r2'].map((run) => stepsOf(experimentId, run)))).flat().sort((a, b) => a - b);
    expect(all).toEqual(Array.from({ length: 80 }, (_, i) => Math.floor(i / 2)));
  });

  it('stores large requests in pieces', async () => {
    const experimentId = await create();
    const steps = Array.from({ length: 3_000 }, (_, step) => step);
    const tags = [0, 1, 2, 3].map((i) => ({
      name: `t${i}-${'x'.repeat(3_000)}`,
      points: points(...steps),
      metadata: scalars,
    }));
    await grpc.call(`${writer}/WriteScalar`, { experimentId, runs: [{ name: '.', tags }] });
    expect(await stepsOf(experimentId, '.')).toHaveLength(12_000);
    const tensor = Buffer.concat([Buffer.from('0807', 'hex'), Buffer.from('42c0843d', 'hex'), Buffer.alloc(1_000_000, 7)]);
    await grpc.call(`${writer}/WriteTensor`, {
      experimentId,
      runs: [
        { name: 't', tags: [{ name: 'text', points: [{ step: 1, value: tensor }], metadata: Buffer.from('0a060a0474657874', 'hex') }] },
      ],
    });
    expect((await read(experimentId, 't')).series[0]!.tensors).toMatchObject([{ dtype: 'string', step: 1n }]);
  });

  it('skips data of a deleted run, and stores the rest', async () => {
    const experimentId = await create();
    await grpc.call(`${writer}/WriteScalar`, scalarRequest(experimentId, { gone: [0], here: [0] }));
    await service.administer(
      `insert into deleted_run (tenant_id, experiment_id, name_hash) select tenant_id, experiment_id, name_hash from run
       where experiment_id = '${experimentId}' and name = 'gone';
       delete from pending_segment where experiment_id = '${experimentId}';
       delete from run where experiment_id = '${experimentId}' and name = 'gone'`,
    );
    await grpc.call(`${writer}/WriteScalar`, scalarRequest(experimentId, { gone: [1], here: [1] }));
    expect(await stepsOf(experimentId, 'here')).toEqual([0, 1]);
  });

  it('rejects invalid names and messages that are too large', async () => {
    const experimentId = await create();
    expect(await code(grpc.call(`${writer}/WriteScalar`, scalarRequest(experimentId, { '': [1] })))).toBe(status.INVALID_ARGUMENT);
    expect(await code(grpc.call(`${writer}/WriteScalar`, scalarRequest(experimentId, { ['x'.repeat(5_000)]: [1] })))).toBe(
      status.INVALID_ARGUMENT,
    );
    const large = scalarRequest(experimentId, { '.': Array.from({ length: 30_000 }, (_, i) => i) });
    expect(await code(grpc.call(`${writer}/WriteScalar`, large))).toBe(status.INVALID_ARGUMENT);
    expect(await stepsOf(experimentId, '.')).toEqual([]);
    const long = {
      experimentId,
      runs: [{ name: '.', tags: [{ name: 'x'.repeat(limits.maxTagBytes + 1), points: points(1, 2, 3), metadata: scalars }] }],
    };
    await grpc.call(`${writer}/WriteScalar`, long);
    expect((await read(experimentId, '.')).problems).toMatchObject([{ reason: 'tag-too-long' }]);
  });

  const open = async (experimentId: ExperimentId, more: object = {}, as = grpc): Promise<string> => {
    const request = {
      experimentId,
      run: 'train',
      tag: 'image',
      step: 3,
      wallTime: time(9),
      finalSequenceLength: 3,
      metadata: graphs,
      ...more,
    };
    return (await as.call<GetOrCreateBlobSequenceResponse>(`${writer}/GetOrCreateBlobSequence`, request)).blobSequenceId;
  };
  const chunks = (blobSequenceId: string, index: number, body: Buffer, size = 1_000): Sent<WriteBlobRequest>[] =>
    Array.from({ length: Math.ceil(body.length / size) }, (_, i) => ({
      blobSequenceId,
      index,
      data: body.subarray(i * size, (i + 1) * size),
      offset: i * size,
      finalizeObject: (i + 1) * size >= body.length,
      blobBytes: body.length,
    }));
  const put = (id: string, index: number, body: Buffer, as = grpc): Promise<WriteBlobResponse[]> =>
    as.exchange<WriteBlobResponse>(`${writer}/WriteBlob`, chunks(id, index, body));
  const stateOf = (blobSequenceId: string, index: number): Promise<GetBlobMetadataResponse> =>
    grpc.call(`${writer}/GetBlobMetadata`, { blobSequenceId, index });
  const blobsOf = async (experimentId: ExperimentId, run = 'train') =>
    (await read(experimentId, run)).series.flatMap(({ blobSequences }) =>
      blobSequences.map(({ step, blobs }) => [Number(step), ...blobs.map((blob) => `${blob.length}:${blob[0] ?? '-'}`)]),
    );

  it('collects the blobs of a sequence, and then writes one value', async () => {
    const experimentId = await create();
    const id = await open(experimentId);
    expect(await open(experimentId)).toBe(id);
    expect(await stateOf(id, 0)).toMatchObject({ blobState: 1 });
    expect(await put(id, 0, Buffer.from('640'))).toMatchObject([{ blobState: 2, size: 3n }]);
    await put(id, 1, Buffer.from('480'));
    expect(await blobsOf(experimentId)).toEqual([]);
    expect(await stateOf(id, 1)).toMatchObject({ blobState: 2, size: 3n });
    await put(id, 2, Buffer.alloc(2_570, 9));
    expect(await blobsOf(experimentId)).toEqual([[3, '3:54', '3:52', '2570:9']]);
    expect(await stateOf(id, 2)).toMatchObject({ blobState: 2, size: 2_570n });
    expect(service.dispatcher.offered).toHaveLength(1);
  });

  it('accepts a repeated blob or sequence once, and rejects another value in its place', async () => {
    const experimentId = await create();
    const graph = { tag: '__run_graph__', step: 0, finalSequenceLength: 1 };
    const id = await open(experimentId, graph);
    await put(id, 0, Buffer.alloc(5_000, 1));
    await put(id, 0, Buffer.alloc(5_000, 1));
    expect(await code(put(id, 0, Buffer.alloc(5_000, 2)))).toBe(status.ALREADY_EXISTS);
    expect(await open(experimentId, graph)).toBe(id);
    await put(id, 0, Buffer.alloc(5_000, 1));
    expect(await blobsOf(experimentId)).toEqual([[0, '5000:1']]);
    await open(experimentId, graph);
    await put(id, 0, Buffer.alloc(6_000, 2));
    expect(await blobsOf(experimentId)).toEqual([
      [0, '5000:1'],
      [0, '6000:2'],
    ]);
  });

  it('ends a sequence with its last blob, or with the next value of the series; missing blobs are empty', async () => {
    const experimentId = await create();
    const first = await open(experimentId);
    await put(first, 0, Buffer.from('640'));
    expect(await grpc.exchange(`${writer}/WriteBlob`, [])).toEqual([]);
    const second = await open(experimentId, { step: 4 });
    expect(await blobsOf(experimentId)).toEqual([[3, '3:54', '0:-', '0:-']]);
    await put(second, 2, Buffer.from('end'));
    expect(await blobsOf(experimentId)).toEqual([
      [3, '3:54', '0:-', '0:-'],
      [4, '0:-', '0:-', '3:101'],
    ]);
    await open(experimentId, { tag: 'none', finalSequenceLength: 0 });
    await open(experimentId, { tag: '__run_graph__', finalSequenceLength: 0 });
    expect((await read(experimentId, 'train')).series.map(({ meta }) => meta.tag)).toEqual(['image', 'none']);
  });

  it('accepts the blobs of a sequence once, however many copies arrive at the same time', async () => {
    const experimentId = await create();
    const values = Array.from({ length: 12 }, (_, step) => step);
    // Simulates a network that duplicates requests
    await Promise.all(
      values.map(async (step) => {
        const announce = (): Promise<string> => open(experimentId, { tag: `image ${step}`, step, finalSequenceLength: 2 });
        const [id, ...same] = await Promise.all([announce(), announce(), announce()]);
        expect(same).toEqual([id, id]);
        const send = async (): Promise<void> => {
          await put(id, 0, Buffer.alloc(20_000, 1 + step));
          await put(id, 1, Buffer.alloc(30_000, 101 + step));
        };
        await Promise.all([send(), send(), send()]);
      }),
    );
    const kept = (await blobsOf(experimentId)).map((value) => value.join(' '));
    expect(new Set(kept)).toEqual(new Set(values.map((step) => `${step} 20000:${1 + step} 30000:${101 + step}`)));
    expect(kept).toHaveLength(values.length);
  });

  it('bounds the blobs of one value together, so that its record stays readable', async () => {
    const experimentId = await create();
    const id = await open(experimentId, { finalSequenceLength: 4 });
    const large = Buffer.alloc(29 * 1024 * 1024, 7);
    await grpc.exchange(`${writer}/WriteBlob`, chunks(id, 0, large, 1 << 20));
    await grpc.exchange(`${writer}/WriteBlob`, chunks(id, 0, large, 1 << 20)); // replacing the first
    await grpc.exchange(`${writer}/WriteBlob`, chunks(id, 1, large.subarray(100), 1 << 20));
    const rejected = grpc.exchange(`${writer}/WriteBlob`, chunks(id, 2, Buffer.alloc(101), 1 << 20));
    await expect(rejected).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, details: expect.stringContaining('in total') as string });
    await put(id, 3, Buffer.alloc(100, 9));
    expect((await read(experimentId, 'train')).problems).toEqual([]);
    expect(await blobsOf(experimentId)).toEqual([[3, `${large.length}:7`, `${large.length - 100}:7`, '0:-', '100:9']]);
  });

  it('reports a problem for a tag that is too long for a blob, and continues', async () => {
    const experimentId = await create();
    const id = await open(experimentId, { tag: 'x'.repeat(limits.maxTagBytes + 1) });
    await put(id, 2, Buffer.from('x'));
    const { series, problems } = await read(experimentId, 'train');
    expect([series, problems.map(({ reason }) => reason)]).toEqual([[], ['tag-too-long']]);
  });

  it('stores nothing of a blob that breaks off or differs from its announcement', async () => {
    const experimentId = await create();
    const id = await open(experimentId);
    const body = Buffer.alloc(2_570, 9);
    expect(await grpc.exchange(`${writer}/WriteBlob`, chunks(id, 0, body).slice(0, 2))).toMatchObject([{ blobState: 1, size: 0n }]);
    const wrong = (change: (all: Sent<WriteBlobRequest>[]) => Sent<WriteBlobRequest>[]) =>
      code(grpc.exchange(`${writer}/WriteBlob`, change(chunks(id, 0, body))));
    expect(await wrong((all) => all.slice(1))).toBe(status.INVALID_ARGUMENT);
    expect(await wrong((all) => all.map((chunk, i) => ({ ...chunk, index: i })))).toBe(status.INVALID_ARGUMENT);
    expect(await wrong((all) => all.map((chunk) => ({ ...chunk, crc32c: 1 })))).toBe(status.INVALID_ARGUMENT);
    expect(await wrong((all) => all.map((chunk) => ({ ...chunk, finalCrc32c: 1 })))).toBe(status.INVALID_ARGUMENT);
    expect(await wrong((all) => all.map((chunk) => ({ ...chunk, blobBytes: 1 })))).toBe(status.INVALID_ARGUMENT);
    expect(await wrong((all) => all.map((chunk) => ({ ...chunk, index: 3 })))).toBe(status.INVALID_ARGUMENT);
    expect(await wrong((all) => all.map((chunk) => ({ ...chunk, blobBytes: 100_000_000 })))).toBe(status.INVALID_ARGUMENT);
    expect(await stateOf(id, 0)).toMatchObject({ blobState: 1, size: 0n });
    expect(await code(open(experimentId, { finalSequenceLength: -1 }))).toBe(status.INVALID_ARGUMENT);
  });

  it('hides the experiments and sequences of others', async () => {
    const experimentId = await create();
    const id = await open(experimentId);
    const stranger = await service.newClient();
    const foreign = stranger.grpc();
    const rejected = [
      foreign.call(`${writer}/WriteScalar`, scalarRequest(experimentId, { '.': [1] })),
      foreign.call(`${writer}/WriteTensor`, { experimentId, runs: [] }),
      foreign.call(`${writer}/UpdateExperiment`, { experiment: { experimentId, name: 'x' }, experimentMask: { name: true } }),
      foreign.call(`${writer}/DeleteExperiment`, { experimentId }),
      open(experimentId, {}, foreign),
      put(id, 0, Buffer.from('x'), foreign),
      foreign.call(`${writer}/GetBlobMetadata`, { blobSequenceId: id, index: 0 }),
    ];
    expect(await Promise.all(rejected.map(code))).toEqual(rejected.map(() => status.NOT_FOUND));
    foreign.close();
    for (const other of ['', 'x', '../../etc', '00000000-0000-4000-8000-000000000000'])
      expect(await code(put(other, 0, Buffer.from('x')))).toBe(status.NOT_FOUND);
    expect(await code(grpc.call(`${writer}/WriteScalar`, scalarRequest(experimentIdOf(''), { '.': [1] })))).toBe(status.NOT_FOUND);
  });

  it('answers calls that no stock client makes', async () => {
    expect(await grpc.call(`${writer}/GetUser`, {})).toMatchObject({ userId: client.personId });
    expect(await grpc.call(`${writer}/PurgeData`, { batchLimit: 5 })).toMatchObject({ purgeStats: { tags: 0 } });
    expect(await code(grpc.call(`${writer}/DeleteOwnUser`, {}))).toBe(status.INVALID_ARGUMENT);
  });

  it('returns the gRPC address over HTTP, without credentials', async () => {
    const body = codecOf('tensorboard.service.ServerInfoRequest').encode({
      version: '2.15.0',
      pluginSpecification: { uploadPlugins: ['scalars'] },
    });
    const result = await fetch(`http://127.0.0.1:${service.port}/api/uploader`, { method: 'POST', body });
    expect(result.status).toBe(200);
    const decoded: ServerInfoResponse = codecOf('tensorboard.service.ServerInfoResponse').decode(Buffer.from(await result.arrayBuffer()));
    expect(decoded).toMatchObject({
      compatibility: { verdict: 1 },
      apiServer: { endpoint: `dns:///127.0.0.1:${service.grpcPort}` },
      pluginControl: { allowedPlugins: ['scalars'] },
    });
    // Clients on other machines cannot reach a loopback port.
    const remote = await new Promise<Buffer>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: service.port, path: '/api/uploader', method: 'POST', headers: { host: 'plots.example' } };
      httpRequest(options, (response) => void buffer(response).then(resolve, reject))
        .on('error', reject)
        .end(body);
    });
    expect(codecOf('tensorboard.service.ServerInfoResponse').decode(remote)).toMatchObject({
      compatibility: { verdict: 3 },
      apiServer: null,
    });
    const broken = await fetch(`http://127.0.0.1:${service.port}/api/uploader`, { method: 'POST', body: Buffer.from([0xff, 0xff]) });
    expect(broken.status).toBe(400);
    const large = await fetch(`http://127.0.0.1:${service.port}/api/uploader`, { method: 'POST', body: Buffer.alloc(100_000) });
    expect(large.status).toBe(413);
  });
});
