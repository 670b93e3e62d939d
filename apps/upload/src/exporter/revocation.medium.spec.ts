import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToken, revokeOwnToken } from '#auth';
import { blobKey } from '#blobs';
import { GrpcTestClient } from '#grpc/testing';
import type { ExperimentId } from '#model';
import type { StreamBlobDataResponse, StreamExperimentDataResponse, StreamExperimentsResponse } from '#protocols';
import { writeBlobKey } from '#series';
import { pointsOf, SeriesWorld } from '#series/testing';
import { copyBlobSequences } from '#store';
import { describeWith, readAround } from '#testing';
import { type UploadClient, UploadService } from '../testing/upload-service.ts';

const exporter = '/tensorboard.service.TensorBoardExporterService';

type Streamed = Partial<StreamExperimentsResponse & StreamExperimentDataResponse & StreamBlobDataResponse>;

/**
 * Maximum time for which data is still sent after a credential ends, except data that is already in
 * transit (libs/http/src/while-allowed.ts).
 */
const boundMs = 5_000;

/*
 * Each response is larger than what can be in transit to a client that does not read: sixteen
 * messages at either end.
 */
const experiments = 4_500;
const series = 200;
const pointsEach = 1_000;
const blob = randomBytes(40 * 1024 * 1024);

/* Reliability test 40, for long responses. */
describeWith(['postgres'], 'a long export whose reader loses access meanwhile', () => {
  let service: UploadService;
  let client: UploadClient;
  let world: SeriesWorld;
  let experimentId: ExperimentId;
  let blobId: string;
  const clients: GrpcTestClient[] = [];

  beforeAll(async () => {
    service = await UploadService.start();
    client = await service.newClient();
    const { tenantId, personId } = client;
    experimentId = await client.newExperiment();
    world = await SeriesWorld.over({ database: service.database, tenantId, experimentId });
    await world.admin.query(
      `with made as (
         insert into experiment (tenant_id, experiment_id, name, description, owner_id)
         select $1, lpad(i::text, 22, '0'), '', repeat('x', 400), $2 from generate_series(2, $3::int) i returning tenant_id, experiment_id)
       insert into experiment_epoch (tenant_id, experiment_id) select * from made`,
      [tenantId, personId, experiments],
    );
    await world.admin.query('analyze experiment, experiment_epoch');

    const runId = await world.run('run');
    const fileId = await world.file(runId, 'events.1');
    const points = pointsOf(Array.from({ length: pointsEach }, (_, i) => [i, 1.7e9 + i, i] as const));
    for (let i = 0; i < series; i++) await world.storePoints(await world.series(runId, `loss/${i}`), [{ fileId, points }]);

    const seriesId = await world.series(runId, 'eye', { dataClass: 'blob_sequence', plugin: 'images' });
    const sha256 = createHash('sha256').update(blob).digest();
    await service.blobs.put(tenantId, blobKey(sha256), blob);
    const place = { seriesId, fileId, ordinal: 0 };
    const row = { ...place, recordOffset: 0, step: 1n, wallTime: 1, superseded: false, sha256: [sha256], bytes: [blob.length] };
    await world.store.withIngest(tenantId, (ingest) => copyBlobSequences(ingest, [row]));
    blobId = writeBlobKey({ experimentId, ...place, index: 0 });
  });
  afterAll(async () => {
    for (const made of clients) made.close();
    await world?.close();
    await service?.stop();
  });

  /** For each method: the size of one message, and the total size of all messages. */
  const methods: readonly {
    readonly name: string;
    readonly request: () => object;
    readonly amountIn: (message: Streamed) => number;
    readonly all: number;
  }[] = [
    {
      name: 'StreamExperiments',
      request: () => ({ limit: 2n ** 63n - 1n, experimentsMask: { description: true } }),
      amountIn: (message) => message.experiments!.length,
      all: experiments,
    },
    {
      name: 'StreamExperimentData',
      request: () => ({ experimentId }),
      amountIn: ({ points }) => points?.steps.length ?? 0,
      all: series * pointsEach,
    },
    { name: 'StreamBlobData', request: () => ({ blobId }), amountIn: ({ data }) => data!.length, all: blob.length },
  ];

  for (const { name, request, amountIn, all } of methods) {
    it.concurrent(`ends when the token is revoked, and is complete for others: ${name}`, async () => {
      const newToken = (): Promise<string> => createToken(service.store, { ...client.owner, name: 'for this test' });
      const [kept, revoked] = [await newToken(), await newToken()];
      const open = (token: string): AsyncIterable<Streamed> => {
        const rpc = new GrpcTestClient(service.grpcPort, { authorization: `Bearer ${token}` });
        clients.push(rpc);
        return rpc.open<Streamed>(`${exporter}/${name}`, request());
      };
      const amount = (messages: readonly Streamed[]): number => messages.reduce((sum, message) => sum + amountIn(message), 0);
      const pause = (): Promise<void> => sleep(boundMs);
      const [whole, broken] = await Promise.all([
        readAround(open(kept), pause),
        readAround(open(revoked), async () => revokeOwnToken(service.store, revoked).then(pause)),
      ]);
      expect([whole.error, amount(whole.pieces)]).toEqual([null, all]);
      expect(broken.error).toMatchObject({ code: status.UNAUTHENTICATED });
      expect(amount(broken.pieces)).toBeLessThan(all);
    });
  }
});
