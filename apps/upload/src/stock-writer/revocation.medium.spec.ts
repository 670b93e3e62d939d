import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { GrpcTestClient } from '#grpc/testing';
import type { ExperimentId } from '#model';
import { experimentIdOf, fileIdOf } from '#model/testing';
import type { CreateExperimentResponse, GetOrCreateBlobSequenceResponse } from '#protocols';
import { writeWorkspaceLimits } from '#store';
import { describeWith } from '#testing';
import { type UploadClient, UploadService } from '../testing/upload-service.ts';

const writer = '/tensorboard.service.TensorBoardWriterService';

/* Reliability test 40, for waiting calls: their credentials may end while they wait. */
describeWith(['postgres'], 'a stock client that loses access during a call', () => {
  let service: UploadService;
  let client: UploadClient;
  let grpc: GrpcTestClient;
  let experimentId: ExperimentId;

  beforeAll(async () => {
    service = await UploadService.start();
  });
  beforeEach(async () => {
    client = await service.newClient();
    grpc = client.grpc();
    const made = await grpc.call<CreateExperimentResponse>(`${writer}/CreateExperiment`, { name: 'x' });
    experimentId = experimentIdOf(made.experimentId);
  });
  afterAll(() => service?.stop());

  const revoke = (): Promise<void> =>
    service.administer(`update access_token set revoked_at = now() where tenant_id = '${client.tenantId}'`);
  const codeOf = async (call: Promise<unknown>): Promise<number> =>
    call.then(
      () => status.OK,
      (error: unknown) => (error as { code: number }).code,
    );
  /** Resolves when a new call is rejected. After that, no data of an old call may be stored. */
  const isOut = async (): Promise<void> => {
    await expect.poll(() => codeOf(grpc.call(`${writer}/GetUser`, {})), { timeout: 5_000, interval: 50 }).toBe(status.UNAUTHENTICATED);
  };
  const scalar = (step: number): object => ({
    experimentId,
    runs: [{ name: 'run', tags: [{ name: 'loss', points: [{ step, wallTime: { seconds: step, nanos: 0 }, value: step }] }] }],
  });
  const stored = async (): Promise<{ bytes: number; blobs: number; sequences: number }> =>
    service.store.withTenant(client.tenantId, async ({ trx }) => {
      const count = async (table: 'segment' | 'uploader_blob' | 'uploader_sequence'): Promise<number> =>
        (await trx.selectFrom(table).select('tenant_id').where('tenant_id', '=', client.tenantId).execute()).length;
      return { bytes: await count('segment'), blobs: await count('uploader_blob'), sequences: await count('uploader_sequence') };
    });

  it('stores nothing of a blob whose last piece comes afterwards', async () => {
    const { blobSequenceId } = await grpc.call<GetOrCreateBlobSequenceResponse>(`${writer}/GetOrCreateBlobSequence`, {
      experimentId,
      run: 'run',
      tag: 'image',
      step: 1,
      finalSequenceLength: 2,
    });
    const piece = (offset: number, finalizeObject: boolean) => ({
      blobSequenceId,
      index: 0,
      offset,
      data: Buffer.alloc(100, 7),
      blobBytes: 200,
      finalizeObject,
    });
    async function* pieces(): AsyncGenerator<object> {
      yield piece(0, false);
      await revoke();
      await isOut();
      yield piece(100, true);
    }
    expect(await codeOf(grpc.exchange(`${writer}/WriteBlob`, pieces()))).toBe(status.UNAUTHENTICATED);
    expect(await stored()).toMatchObject({ blobs: 0 });
  });

  it.each(['WriteScalar', 'GetOrCreateBlobSequence'])('stores nothing of a %s that waited for admission', async (method) => {
    const message = method === 'WriteScalar' ? scalar(2) : { experimentId, run: 'run', tag: '__other__', step: 1, finalSequenceLength: 0 };
    await grpc.call(`${writer}/WriteScalar`, scalar(1));
    await service.operate((_, inTenant) => writeWorkspaceLimits(inTenant(client.tenantId), { quotas: { pending_bytes: 1 }, by: 'test' }));
    const before = await stored();
    // From now on, calls wait: nothing is admitted until the pending data is ingested.
    await expect
      .poll(
        () =>
          client
            .open(experimentId, { run: 'other', name: 'events.out.tfevents.1' })
            .then(({ json }) => client.append(fileIdOf(String(json['file_id'])), 0, Buffer.from('x')))
            .then(({ status: response }) => response),
        { timeout: 10_000 },
      )
      .toBe(429);
    const beforeCall = await stored();
    expect(beforeCall.bytes).toBeGreaterThanOrEqual(before.bytes);
    const waiting = codeOf(grpc.call(`${writer}/${method}`, message));
    await revoke();
    await isOut();
    await service.administer(`delete from pending_segment where tenant_id = '${client.tenantId}'`);
    expect(await waiting).toBe(status.UNAUTHENTICATED);
    expect(await stored()).toMatchObject({ bytes: beforeCall.bytes });
  });
});
