import { status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { GrpcTestClient } from '#grpc/testing';
import type { ExperimentId } from '#model';
import { experimentIdOf } from '#model/testing';
import { PointCollector } from '#points';
import type { CreateExperimentResponse, GetOrCreateBlobSequenceResponse } from '#protocols';
import { RecordReader } from '#records';
import { ensureRun, readFileVersions } from '#store';
import { armFailpoints } from '#telemetry';
import { describeWith } from '#testing';
import { type UploadClient, UploadService } from '../testing/upload-service.ts';
import { uploaderFile } from './uploader-requests.ts';

const writer = '/tensorboard.service.TensorBoardWriterService';
const retried: readonly number[] = [status.ABORTED, status.DEADLINE_EXCEEDED, status.RESOURCE_EXHAUSTED, status.UNAVAILABLE];

/*
 * Data that was acknowledged to a stock client is stored exactly once, whatever fails in between.
 * Temporary problems have a status on which the client retries.
 */
describeWith(['postgres'], 'the writer service during failures', () => {
  let service: UploadService;
  let client: UploadClient;
  let grpc: GrpcTestClient;
  let experimentId: ExperimentId;
  const longMs = 180_000;

  beforeAll(async () => {
    service = await UploadService.start();
    client = await service.newClient();
    grpc = client.grpc();
    const made = await grpc.call<CreateExperimentResponse>(`${writer}/CreateExperiment`, { name: 'x' });
    experimentId = experimentIdOf(made.experimentId);
  });
  afterEach(() => armFailpoints(undefined));
  afterAll(async () => {
    grpc?.close();
    await service?.stop();
  });

  /** Retries like a stock client, but for longer. */
  async function again<T>(call: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await call();
      } catch (error) {
        const { code } = error as { code: number };
        expect([code, retried.includes(code), tries < 20]).toEqual([code, true, true]);
      }
    }
  }

  async function read(run: string) {
    const fileId = await service.store.withTenant(client.tenantId, async (scope) => {
      const runId = (await ensureRun(scope, experimentId, run))!;
      return (await readFileVersions(scope, runId, uploaderFile))[0]!.fileId;
    });
    const collector = new PointCollector();
    new RecordReader().push(await client.stored(fileId), (buf, start, end, offset) => collector.event(buf, start, end, offset));
    return collector.take();
  }

  it(
    'counts points once when commits fail before or after they take effect',
    async () => {
      armFailpoints('before-ledger-commit=throw:0.3,after-ledger-commit=throw:0.3,seed=11', () => undefined);
      const runs = (step: number) =>
        ['a', 'b'].map((name) => ({
          name,
          tags: [{ name: 'loss', points: [{ step, wallTime: { seconds: step, nanos: 0 }, value: step }] }],
        }));
      await Promise.all(
        Array.from({ length: 12 }, (_, step) => again(() => grpc.call(`${writer}/WriteScalar`, { experimentId, runs: runs(step) }))),
      );
      for (const run of ['a', 'b']) {
        const { series, problems } = await read(run);
        expect(problems).toEqual([]);
        expect([...series[0]!.scalars!.steps].map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, step) => step));
      }
    },
    longMs,
  );

  it(
    'holds a blob stream until a temporary error is gone, and keeps one value',
    async () => {
      const { blobSequenceId } = await grpc.call<GetOrCreateBlobSequenceResponse>(`${writer}/GetOrCreateBlobSequence`, {
        experimentId,
        run: 'blobs',
        tag: 'image',
        step: 1,
        finalSequenceLength: 2,
      });
      armFailpoints('before-ledger-commit=throw:0.4,after-ledger-commit=throw:0.4,seed=3', () => undefined);
      for (const index of [0, 1]) {
        const message = { blobSequenceId, index, data: Buffer.alloc(400_000, index), finalizeObject: true, blobBytes: 400_000 };
        await expect(grpc.exchange(`${writer}/WriteBlob`, [message])).resolves.toMatchObject([{ blobState: 2 }]);
      }
      armFailpoints(undefined);
      const { series } = await read('blobs');
      expect(series[0]!.blobSequences.map(({ blobs }) => blobs.map(({ length }) => length))).toEqual([[400_000, 400_000]]);
    },
    longMs,
  );

  it('returns retryable errors when the database closes its connections', async () => {
    const kill = () =>
      service.administer(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      );
    for (let step = 0; step < 12; step++) {
      const request = {
        experimentId,
        runs: [{ name: 'c', tags: [{ name: 'loss', points: [{ step, wallTime: { seconds: step, nanos: 0 }, value: 1 }] }] }],
      };
      const killing = step % 3 === 1 ? kill() : Promise.resolve();
      await again(() => grpc.call(`${writer}/WriteScalar`, request));
      await killing;
    }
    expect([...(await read('c')).series[0]!.scalars!.steps].map(Number)).toEqual(Array.from({ length: 12 }, (_, step) => step));
  });
});
