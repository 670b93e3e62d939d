import { setTimeout as sleep } from 'node:timers/promises';
import * as grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codecOf } from '#grpc';
import type { GrpcTestClient } from '#grpc/testing';
import { type ExperimentId, type FileBatch, limits } from '#model';
import { experimentIdOf } from '#model/testing';
import { PointCollector } from '#points';
import type { CreateExperimentResponse, GetOrCreateBlobSequenceResponse, WriteBlobResponse } from '#protocols';
import { RecordReader } from '#records';
import { ensureRun, readFileVersions } from '#store';
import { bytesField, describeWith, joinBytes, stringField, varintField } from '#testing';
import { type UploadClient, UploadService } from '../testing/upload-service.ts';
import { uploaderFile } from './uploader-requests.ts';

const writer = '/tensorboard.service.TensorBoardWriterService';
const { status } = grpc;

/*
 * Requests that no stock client sends. They fail with a status that describes the error, and do not
 * affect other clients.
 */
describeWith(['postgres'], 'the writer service with unexpected input', () => {
  let service: UploadService;
  let client: UploadClient;
  let rpc: GrpcTestClient;
  let raw: grpc.Client;
  let experimentId: ExperimentId;

  beforeAll(async () => {
    service = await UploadService.start();
    client = await service.newClient();
    rpc = client.grpc();
    raw = new grpc.Client(`127.0.0.1:${service.grpcPort}`, grpc.credentials.createInsecure());
    const made = await rpc.call<CreateExperimentResponse>(`${writer}/CreateExperiment`, { name: 'x' });
    experimentId = experimentIdOf(made.experimentId);
  });
  afterAll(async () => {
    raw?.close();
    rpc?.close();
    await service?.stop();
  });

  const same = (bytes: Buffer): Buffer => bytes;
  const metadata = (): grpc.Metadata => {
    const made = new grpc.Metadata();
    made.set('authorization', client.headers.authorization);
    return made;
  };
  /** The status of a unary call with these bytes. */
  const statusOf = (method: string, bytes: Uint8Array): Promise<{ code: number; details: string }> =>
    new Promise((resolve) => {
      raw.makeUnaryRequest(`${writer}/${method}`, same, same, Buffer.from(bytes), metadata(), (error) => {
        resolve(error ? { code: error.code, details: error.details } : { code: status.OK, details: '' });
      });
    });
  const stream = (): grpc.ClientDuplexStream<Buffer, Buffer> =>
    raw.makeBidiStreamRequest(`${writer}/WriteBlob`, same, same, metadata()).on('error', () => undefined);
  /** The status with which a stream ends. */
  const endOf = (call: grpc.ClientDuplexStream<Buffer, Buffer>): Promise<number> =>
    new Promise((resolve) => call.resume().once('status', ({ code }) => resolve(code)));

  async function read(run: string): Promise<FileBatch> {
    const fileId = await service.store.withTenant(client.tenantId, async (scope) => {
      const runId = (await ensureRun(scope, experimentId, run))!;
      return (await readFileVersions(scope, runId, uploaderFile))[0]?.fileId;
    });
    const collector = new PointCollector();
    if (fileId === undefined) return collector.take();
    new RecordReader().push(await client.stored(fileId), (buf, start, end, offset) => collector.event(buf, start, end, offset));
    return collector.take();
  }

  /**
   * WriteScalarRequest{1 experiment_id 2 runs{1 name 2 tags{1 name 2 points{1 step}}}}, its names
   * as bytes.
   */
  const scalarBytes = (run: Uint8Array, tag: Uint8Array): Uint8Array =>
    joinBytes(
      stringField(1, experimentId),
      bytesField(2, joinBytes(bytesField(1, run), bytesField(2, joinBytes(bytesField(1, tag), bytesField(2, varintField(1, 7)))))),
    );

  describe('malformed messages', () => {
    it.each([
      ['not protobuf', Buffer.from('garbage')],
      ['a length beyond the end', Buffer.from('12ff', 'hex')],
      ['a truncated field', Buffer.from('0a05616263', 'hex')],
      ['a truncated number', Buffer.from('0affffffff', 'hex')],
    ])('%s', async (_, bytes) => {
      for (const method of ['CreateExperiment', 'WriteScalar', 'WriteTensor', 'GetOrCreateBlobSequence'])
        expect(await statusOf(method, bytes), method).toEqual({ code: status.INVALID_ARGUMENT, details: 'The message cannot be read.' });
      const call = stream();
      call.write(bytes);
      expect(await endOf(call)).toBe(status.INVALID_ARGUMENT);
    });

    it('unknown fields are ignored, as a later release would send them', async () => {
      const later = joinBytes(
        Buffer.from(scalarBytes(Buffer.from('later'), Buffer.from('loss'))),
        stringField(99, 'new'),
        varintField(98, 1),
      );
      expect(await statusOf('WriteScalar', later)).toMatchObject({ code: status.OK });
      expect((await read('later')).series).toMatchObject([{ meta: { tag: 'loss' }, scalars: { steps: BigInt64Array.of(7n) } }]);
    });

    it.each([1, 99])('millions of empty fields %i are rejected, wherever they are', async (id) => {
      const fields = Buffer.alloc(12 * 2 ** 20 - 1_000, Buffer.from(id > 15 ? [0x9a, 0x06, 0] : [(id << 3) | 2, 0]));
      const inRun = bytesField(2, joinBytes(bytesField(1, Buffer.from('run')), fields));
      for (const message of [fields, inRun])
        expect((await statusOf('WriteTensor', message)).details).toMatch(/may have at most \d+ fields/);
    });

    it('messages that are far too large are not read to the end', async () => {
      const large = Buffer.alloc(40 * 1024 * 1024);
      for (const method of ['WriteScalar', 'WriteTensor'])
        expect([status.RESOURCE_EXHAUSTED, status.INVALID_ARGUMENT]).toContain((await statusOf(method, large)).code);
      const call = stream();
      call.write(large);
      expect([status.RESOURCE_EXHAUSTED, status.INVALID_ARGUMENT]).toContain(await endOf(call));
    });
  });

  describe('names', () => {
    it.each(['a/b', '/', '..', '../../etc', 'ü 日本 🎉', ' ', 'a\\b', "'; drop table run; --", '%', '.', 'ﷺ'.repeat(200), 'line\nbreak\t'])(
      'run and tag %j are ordinary text',
      async (name) => {
        expect(await statusOf('WriteScalar', scalarBytes(Buffer.from(`of ${name}`), Buffer.from(name)))).toMatchObject({ code: status.OK });
        expect((await read(`of ${name}`)).series.map(({ meta }) => meta.tag)).toEqual([name]);
      },
    );

    it('a run with an invalid name is rejected, with the reason', async () => {
      const tag = Buffer.from('loss');
      expect(await statusOf('WriteScalar', scalarBytes(Buffer.from('a\0b'), tag))).toMatchObject({
        code: status.INVALID_ARGUMENT,
        details: expect.stringContaining('NUL') as string,
      });
      expect(await statusOf('WriteScalar', scalarBytes(Buffer.from('r'.repeat(limits.maxRunNameBytes + 1)), tag))).toMatchObject({
        code: status.INVALID_ARGUMENT,
        details: expect.stringContaining(String(limits.maxRunNameBytes)) as string,
      });
    });

    it('a tag with NUL loses only its own points, and the file reports it', async () => {
      const tags = ['good', 'a\0b'].map((name) => ({ name, points: [{ step: 1, value: 1 }] }));
      await rpc.call(`${writer}/WriteScalar`, { experimentId, runs: [{ name: 'nul', tags }] });
      const { series, problems } = await read('nul');
      expect([series.map(({ meta }) => meta.tag), problems.map(({ reason }) => reason)]).toEqual([['good'], ['tag-has-nul']]);
    });

    it('a name that is not UTF-8 is rejected', async () => {
      const bad = Buffer.from([0x61, 0xff, 0xfe]);
      expect(await statusOf('WriteScalar', scalarBytes(bad, Buffer.from('loss')))).toMatchObject({ code: status.INVALID_ARGUMENT });
      expect(await statusOf('WriteScalar', scalarBytes(Buffer.from('utf8'), bad))).toMatchObject({ code: status.INVALID_ARGUMENT });
      expect((await read('utf8')).series).toEqual([]);
    });
  });

  it('keeps every 64-bit step and number', async () => {
    const steps = [-1n, -(2n ** 63n), 2n ** 53n + 1n, 2n ** 63n - 1n, 0n];
    const values = [NaN, Infinity, -Infinity, -0, Number.MIN_VALUE];
    const points = steps.map((step, i) => ({ step, wallTime: { seconds: -1n, nanos: 999_999_999 }, value: values[i]! }));
    await rpc.call(`${writer}/WriteScalar`, { experimentId, runs: [{ name: 'wide', tags: [{ name: 'loss', points }] }] });
    const { scalars } = (await read('wide')).series[0]!;
    expect([[...scalars!.steps], [...scalars!.values]]).toEqual([steps, values]);
  });

  it('rejects invalid tensors and metadata, with their whole request', async () => {
    const [text, about] = [Buffer.from('08071200420161', 'hex'), Buffer.from('0a060a0474657874', 'hex')]; // DT_STRING, rank 0, "a"
    const write = (value: Buffer, metadata_: Buffer) =>
      rpc.call(`${writer}/WriteTensor`, {
        experimentId,
        runs: [
          {
            name: 'tensors',
            tags: [{ name: 'notes', metadata: metadata_, points: [text, value].map((one, step) => ({ step, value: one })) }],
          },
        ],
      });
    await expect(write(Buffer.from('0807ff', 'hex'), about)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, details: 'A tensor of tag "notes" cannot be read.' }); // prettier-ignore
    await expect(write(text, about.subarray(1))).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
    expect((await read('tensors')).series).toEqual([]);
    await write(text, about);
    expect((await read('tensors')).series).toMatchObject([
      { meta: { plugin: 'text', listed: true }, tensors: [{ step: 0n }, { step: 1n }] },
    ]);
  });

  describe('the stream of a blob', () => {
    const blobRequest = codecOf('tensorboard.service.WriteBlobRequest');
    const open = async (run: string, finalSequenceLength = 1): Promise<string> => {
      const request = { experimentId, run, tag: 'image', step: 1, finalSequenceLength };
      return (await rpc.call<GetOrCreateBlobSequenceResponse>(`${writer}/GetOrCreateBlobSequence`, request)).blobSequenceId;
    };
    const chunk = (blobSequenceId: string, more: object) =>
      blobRequest.encode({ blobSequenceId, index: 0, data: Buffer.from('12345'), blobBytes: 10, ...more });
    const sizes = async (run: string) => (await read(run)).series.flatMap(({ blobSequences }) => blobSequences.map(({ blobs }) => blobs.map((blob) => blob.length))); // prettier-ignore
    const send = async (...messages: Buffer[]): Promise<number> => {
      const call = stream();
      for (const message of messages) call.write(message);
      call.end();
      return endOf(call);
    };

    it('is rejected if chunks are out of order, repeated or misplaced, and can be sent again', async () => {
      const id = await open('order');
      const [first, second] = [chunk(id, { offset: 0 }), chunk(id, { offset: 5, finalizeObject: true })];
      for (const messages of [
        [second, first],
        [first, first, second],
        [second],
        [chunk(id, { offset: -5 }), second],
        [first, chunk(id, { offset: 2n ** 62n, finalizeObject: true })],
        [first, chunk(id, { offset: 5, finalizeObject: true, blobBytes: 11 })],
        [chunk(id, { index: -1 })],
        [chunk(id, { index: 2n ** 40n })],
        [chunk(id, { blobBytes: -1 })],
      ])
        expect(await send(...messages)).toBe(status.INVALID_ARGUMENT);
      expect(await sizes('order')).toEqual([]);
      expect(await send(first, second)).toBe(status.OK);
      expect(await sizes('order')).toEqual([[10]]);
    });

    it('ends with its last chunk, even if its sender does not close it', async () => {
      const id = await open('half');
      const call = stream();
      call.write(chunk(id, { offset: 0 }));
      call.write(chunk(id, { offset: 5, finalizeObject: true }));
      expect(await endOf(call)).toBe(status.OK);
      expect(await sizes('half')).toEqual([[10]]);
    });

    it('ignores everything after its last chunk', async () => {
      const id = await open('behind');
      expect(await send(chunk(id, { offset: 0 }), chunk(id, { offset: 5, finalizeObject: true }), chunk(id, { offset: 10 }))).toBe(
        status.OK,
      );
      expect(await sizes('behind')).toEqual([[10]]);
    });

    it('leaves nothing when it breaks off, and frees its memory', async () => {
      const id = await open('broken');
      const calls = Array.from({ length: 5 }, () => stream());
      for (const call of calls) {
        call.write(chunk(id, { data: Buffer.alloc(1_000_000), blobBytes: 2_000_000 }));
        const ended = endOf(call);
        while (service.budget.usedBytes === 0) await sleep(5);
        call.cancel();
        expect(await ended).toBe(status.CANCELLED);
      }
      while (service.budget.usedBytes > 0) await sleep(5);
      expect(await sizes('broken')).toEqual([]);
      const responses = await rpc.exchange<WriteBlobResponse>(`${writer}/WriteBlob`, [{ blobSequenceId: id, index: 0, data: Buffer.from('1'), finalizeObject: true, blobBytes: 1 }]); // prettier-ignore
      expect(responses).toMatchObject([{ blobState: 2, size: 1n }]);
    });
  });
});
