import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { methods } from '#grpc';
import type { GrpcTestClient } from '#grpc/testing';
import type { ExperimentId, FileId } from '#model';
import { experimentIdOf } from '#model/testing';
import type { CreateExperimentResponse, GetOrCreateBlobSequenceResponse } from '#protocols';
import { describeWith, StandbyPostgres } from '#testing';
import { type ApiResponse, type UploadClient, UploadService } from './testing/upload-service.ts';

const writer = '/tensorboard.service.TensorBoardWriterService';

/*
 * The first write waits for the standby and fails. From then on, no write may reach its commit:
 * otherwise, another backend would be left waiting, and the number of waiting backends would show
 * it.
 */
describeWith(['postgres'], 'uploads to a database that has lost its synchronous standby', () => {
  let postgres: StandbyPostgres;
  let service: UploadService;
  let client: UploadClient;
  let grpc: GrpcTestClient;
  const bytes = Buffer.from('0123456789');

  beforeAll(async () => {
    postgres = await StandbyPostgres.start();
    service = await UploadService.start({ database: postgres.database });
    client = await service.newClient();
    grpc = client.grpc();
  });
  afterAll(async () => {
    await postgres?.endWait();
    grpc?.close();
    await service?.stop();
    await postgres?.stop();
  });

  const points = (name: string, value: unknown) => ({
    name,
    tags: [{ name: 'loss', points: [{ step: 1, wallTime: { seconds: 1_700_000_000, nanos: 0 }, value }] }],
  });
  const sequence = (experimentId: ExperimentId, step: number) => ({ experimentId, run: 'a', tag: 'image', step, finalSequenceLength: 1 });
  const create = async (): Promise<ExperimentId> =>
    experimentIdOf((await grpc.call<CreateExperimentResponse>(`${writer}/CreateExperiment`, { name: 'x' })).experimentId);

  /** HTTP requests that write, sent when the file has five bytes. */
  const requests: Record<string, (experimentId: ExperimentId, fileId: FileId) => Promise<ApiResponse>> = {
    open: (experimentId) => client.open(experimentId, { run: 'b', name: 'events.out.tfevents.2' }),
    append: (_, fileId) => client.append(fileId, 5, bytes.subarray(5)),
    complete: (_, fileId) => client.complete(fileId, bytes.subarray(0, 5)),
  };

  /** The messages of the calls that write. */
  const calls: Record<string, (experimentId: ExperimentId) => object> = {
    CreateExperiment: () => ({ name: 'y' }),
    UpdateExperiment: (experimentId) => ({ experiment: { experimentId, name: 'z' }, experimentMask: { name: true } }),
    DeleteExperiment: (experimentId) => ({ experimentId }),
    // Whether the run has a file or needs one.
    WriteScalar: (experimentId) => ({ experimentId, runs: [points('a', 2)] }),
    WriteTensor: (experimentId) => ({ experimentId, runs: [points('new', { dtype: 1, floatVal: [1] })] }),
    GetOrCreateBlobSequence: (experimentId) => sequence(experimentId, 2),
  };
  const reads = ['PurgeData', 'GetBlobMetadata', 'GetUser', 'DeleteOwnUser'];

  it('lists below every call that writes', () => {
    const all = methods.filter(({ path }) => path.startsWith(`${writer}/`)).map(({ path }) => path.slice(writer.length + 1));
    expect([...Object.keys(calls), 'WriteBlob', ...reads].toSorted()).toEqual(all.toSorted());
  });

  it('are all rejected as unavailable once a commit hangs, leave no backend waiting, and succeed later', { timeout: 90_000 }, async () => {
    const { fileId, experimentId } = await client.newFile();
    await client.append(fileId, 0, bytes.subarray(0, 5));
    const written = await create();
    await grpc.call(`${writer}/WriteScalar`, { experimentId: written, runs: [points('a', 1)] });
    const opened = await grpc.call<GetOrCreateBlobSequenceResponse>(`${writer}/GetOrCreateBlobSequence`, sequence(written, 1));
    await postgres.loseStandby();
    expect(await client.append(fileId, 5, bytes.subarray(5))).toMatchObject({ status: 503 });

    const { blobSequenceId } = opened;
    const blob = { blobSequenceId, index: 0, data: bytes, finalizeObject: true, blobBytes: bytes.length };
    const streamed = grpc.exchange(`${writer}/WriteBlob`, [blob]); // held until the standby is back
    const rejected = { status: 503, json: { code: 'store-unavailable', detail: expect.stringContaining('does not confirm writes') } };
    for (const [name, send] of Object.entries(requests)) expect(await send(experimentId, fileId), name).toMatchObject(rejected);
    // The service first retries most of these calls for a while.
    await Promise.all(
      Object.entries(calls).map(async ([name, messageOf]) => {
        const call = grpc.call(`${writer}/${name}`, messageOf(written));
        await expect(call, name).rejects.toMatchObject({
          code: status.UNAVAILABLE,
          details: expect.stringContaining('does not confirm writes'),
        });
      }),
    );
    expect(await postgres.waitingCommits()).toBe(1);
    // Nothing unconfirmed is visible, and readers are served.
    expect((await client.position(fileId)).headers['upload-offset']).toBe('5');

    await postgres.endWait();
    expect(await streamed).toMatchObject([{ blobState: 2, size: 10n }]);
    expect(await client.append(fileId, 5, bytes.subarray(5))).toMatchObject({ status: 204 });
    expect(await client.complete(fileId, bytes)).toMatchObject({ status: 200 });
  });
});
