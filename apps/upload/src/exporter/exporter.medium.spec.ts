import { createHash, randomBytes } from 'node:crypto';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blobKey, tensorKey } from '#blobs';
import { codecOf } from '#grpc';
import type { GrpcTestClient } from '#grpc/testing';
import type { ExperimentId, FileId, RunId } from '#model';
import { experimentIdOf } from '#model/testing';
import type { StreamBlobDataResponse, StreamExperimentDataResponse, StreamExperimentsResponse } from '#protocols';
import { crc32c } from '#records';
import { pointsOf, SeriesWorld } from '#series/testing';
import { copyBlobSequences, copyTensors } from '#store';
import { describeWith } from '#testing';
import { type UploadClient, UploadService } from '../testing/upload-service.ts';

const service = '/tensorboard.service.TensorBoardExporterService';
const largest = 2n ** 63n - 1n;

describeWith(['postgres'], 'the exporter', () => {
  let upload: UploadService;
  let client: UploadClient;
  let rpc: GrpcTestClient;
  let stranger: GrpcTestClient;
  let world: SeriesWorld;
  let experimentId: ExperimentId;
  let runId: RunId;
  let fileId: FileId;

  beforeAll(async () => {
    upload = await UploadService.start();
    client = await upload.newClient();
    rpc = client.grpc();
    stranger = (await upload.newClient()).grpc();
    experimentId = await client.newExperiment();
    world = await SeriesWorld.over({ database: upload.database, tenantId: client.tenantId, experimentId });
    runId = await world.run('train');
    fileId = await world.file(runId, 'events.1');
  });
  afterAll(async () => {
    rpc?.close();
    stranger?.close();
    await world?.close();
    await upload?.stop();
  });

  const data = (id = experimentId, by = rpc): Promise<StreamExperimentDataResponse[]> =>
    by.stream(`${service}/StreamExperimentData`, { experimentId: id, readTimestamp: null });
  const place = (ordinal: number, step: number, superseded = false) => ({
    fileId,
    ordinal,
    recordOffset: ordinal,
    step: BigInt(step),
    wallTime: step + 0.25,
    superseded,
  });

  it('streams the effective points of every listed series, ordered by step, from chunks and tails', async () => {
    const loss = await world.series(runId, 'loss');
    // The training run restarts at step 6,000
    const rows = (from: number, to: number, add: number) =>
      Array.from({ length: to - from }, (_, i) => [from + i, 1.7e9 + from + i + 0.5, from + i + add] as const);
    await world.storePoints(loss, [
      { fileId, points: pointsOf(rows(0, 9_000, 0)) },
      { fileId, points: pointsOf(rows(6_000, 60_000, 0.5)) },
    ]);
    await world.storeTail(runId, [{ seriesId: loss, fileId, firstOrdinal: 63_000, points: pointsOf(rows(60_000, 60_003, 0.5)) }]);
    await world.series(runId, 'hidden', { listed: false });
    const responses = await data();
    expect(new Set(responses.map(({ runName, tagName }) => `${runName} ${tagName}`))).toEqual(new Set(['train loss']));
    expect(responses.length).toBeGreaterThan(1);
    expect(responses.flatMap(({ points }) => points!.steps)).toEqual(Array.from({ length: 60_003 }, (_, i) => BigInt(i)));
    expect(responses.flatMap(({ points }) => points!.values)).toEqual(Array.from({ length: 60_003 }, (_, i) => (i < 6_000 ? i : i + 0.5)));
    expect(responses.flatMap(({ points }) => points!.wallTimes.map(({ seconds, nanos }) => [seconds, nanos])).slice(0, 2)).toEqual([
      [1_700_000_000n, 500_000_000],
      [1_700_000_001n, 500_000_000],
    ]);
  });

  it('streams tensors and blob sequences, in several ranges if there are many', async () => {
    const own = await client.newExperiment();
    const other = await SeriesWorld.over({ database: upload.database, tenantId: client.tenantId, experimentId: own });
    try {
      const run = await other.run('r');
      const file = await other.file(run, 'events.1');
      const weights = await other.series(run, 'weights', { dataClass: 'tensor', plugin: 'histograms' });
      const digits = await other.series(run, 'digits', { dataClass: 'blob_sequence', plugin: 'images' });
      const body = Buffer.alloc(15_000, 1);
      const large = randomBytes(1_000_000);
      await upload.blobs.put(client.tenantId, tensorKey(createHash('sha256').update(large).digest()), large);
      const blob = randomBytes(2_500_000);
      const hash = createHash('sha256').update(blob).digest();
      await upload.blobs.put(client.tenantId, blobKey(hash), blob);
      const count = 1_000; // 15 MB, more than is read at a time
      const tensor = { seriesId: weights, dtype: 'uint8' as const, bytes: body.length, shape: [body.length], body, objectKey: null };
      await other.store.withIngest(client.tenantId, async (ingest) => {
        await copyTensors(ingest, [
          ...Array.from({ length: count }, (_, i) => ({ ...tensor, ...place(i, i * 1_000_000), fileId: file })),
          { ...tensor, ...place(count, 5, true), fileId: file },
          {
            ...tensor,
            ...place(count + 1, 2_000_000_000),
            fileId: file,
            bytes: large.length,
            shape: [large.length],
            body: null,
            objectKey: tensorKey(createHash('sha256').update(large).digest()),
          },
        ]);
        await copyBlobSequences(ingest, [
          { seriesId: digits, ...place(0, 1), fileId: file, sha256: [hash, null, hash], bytes: [blob.length, 0, blob.length] },
        ]);
      });
      const responses = await data(own);
      const tensors = responses.filter(({ tagName }) => tagName === 'weights').map((response) => response.tensors!);
      expect(tensors.flatMap(({ steps }) => steps)).toEqual([
        ...Array.from({ length: count }, (_, i) => BigInt(i) * 1_000_000n),
        2_000_000_000n,
      ]);
      expect(Buffer.from(tensors.at(-1)!.values.at(-1)!).subarray(-large.length)).toEqual(large);
      const [{ blobSequences }] = responses.filter(({ tagName }) => tagName === 'digits') as [StreamExperimentDataResponse];
      const ids = blobSequences!.values[0]!.entries.map(({ blob: entry }) => entry?.blobId ?? null);
      expect([ids[0] === ids[2], ids[1]]).toEqual([false, null]);
      const pieces = await rpc.stream<StreamBlobDataResponse>(`${service}/StreamBlobData`, { blobId: ids[2] });
      expect(Buffer.concat(pieces.map((piece) => piece.data))).toEqual(blob);
      expect(pieces.map(({ offset, finalChunk, finalCrc32c }) => [Number(offset), finalChunk, finalCrc32c])).toEqual([
        [0, false, 0],
        [2 ** 20, false, 0],
        [2 ** 21, true, crc32c(0, blob)],
      ]);
      await expect(stranger.stream(`${service}/StreamBlobData`, { blobId: ids[2] })).rejects.toMatchObject({ code: grpc.status.NOT_FOUND });
      await expect(rpc.stream(`${service}/StreamBlobData`, { blobId: 'nothing' })).rejects.toMatchObject({ code: grpc.status.NOT_FOUND });
    } finally {
      await other.close();
    }
  });

  it('lists experiments of the caller by limit, owner, time and mask', async () => {
    const mine = await upload.newClient();
    const by = mine.grpc();
    try {
      const made: string[] = [];
      for (let i = 0; i < 120; i++) made.push(await mine.newExperiment());
      const list = async (request: object) =>
        (await by.stream<StreamExperimentsResponse>(`${service}/StreamExperiments`, { limit: largest, userId: '', ...request })).map(
          ({ experiments }) => experiments,
        );
      const everything = await list({});
      expect(everything.every((page) => page.length > 0)).toBe(true);
      expect(everything.flat().map((experiment) => experiment.experimentId)).toEqual(made.toReversed());
      expect(everything[0]![0]).toMatchObject({ createTime: null, name: '', owner: '' });
      expect((await list({ limit: 101n })).flat()).toHaveLength(101);
      expect((await list({ userId: mine.personId })).flat()).toHaveLength(120);
      expect(await list({ userId: client.personId })).toEqual([]);
      expect(await list({ userId: 'nobody' })).toEqual([]);
      expect(await list({ readTimestamp: { seconds: 1_600_000_000, nanos: 0 } })).toEqual([]);
      const mask = {
        createTime: true,
        updateTime: true,
        numTags: true,
        numRuns: true,
        numScalars: true,
        owner: true,
        totalTensorBytes: true,
      };
      const [[experiment]] = (await list({ limit: 1n, experimentsMask: mask })) as [[StreamExperimentsResponse['experiments'][number]]];
      expect(experiment).toMatchObject({ owner: 'Ada', numTags: 0n, numRuns: 0n, numScalars: 0n, totalTensorBytes: 0n });
      expect(Number(experiment.createTime!.seconds)).toBeGreaterThan(1_700_000_000);
      expect(Number(experiment.updateTime!.seconds)).toBeGreaterThanOrEqual(Number(experiment.createTime!.seconds));
    } finally {
      by.close();
    }
  });

  it('returns the same error for missing and for foreign experiments', async () => {
    const rejection = async (id: ExperimentId, by: GrpcTestClient) =>
      data(id, by).then(
        () => null,
        ({ code, details }: grpc.ServiceError) => ({ code, details }),
      );
    const hidden = await rejection(experimentId, stranger);
    expect(hidden?.code).toBe(grpc.status.NOT_FOUND);
    expect(await rejection(experimentIdOf('0'.repeat(22)), rpc)).toEqual(hidden);
    expect(await rejection(experimentIdOf('../etc'), rpc)).toEqual(hidden);
  });

  it('reads no further than the client, and releases the connection when the client disconnects', async () => {
    const request = codecOf('tensorboard.service.StreamExperimentDataRequest');
    const metadata = new grpc.Metadata();
    metadata.set('authorization', client.headers.authorization);
    const calls = Array.from({ length: 8 }, () => {
      const connection = new grpc.Client(`127.0.0.1:${upload.grpcPort}`, grpc.credentials.createInsecure());
      const call = connection.makeServerStreamRequest(
        `${service}/StreamExperimentData`,
        (message: Buffer) => message,
        (bytes: Buffer) => bytes,
        request.encode({ experimentId }),
        metadata,
      );
      call.on('error', () => undefined);
      return { connection, call };
    });
    // Three of the exports have received a message; the others wait
    await new Promise<void>((resolve) => {
      for (const { call } of calls) call.once('readable', resolve);
    });
    for (const { call, connection } of calls) {
      call.cancel();
      connection.close();
    }
    expect((await data()).length).toBeGreaterThan(0);
    const { rows } = await world.admin.query<{ open: string }>(
      "select count(*) as open from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
    );
    expect(Number(rows[0]!.open)).toBeLessThanOrEqual(1); // its end is still being processed
  });
});
