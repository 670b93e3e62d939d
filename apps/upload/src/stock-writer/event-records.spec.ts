import { describe, expect, it } from 'vitest';
import { Problem } from '#model';
import { bytesField, joinBytes, stringField } from '#testing';
import { PointCollector } from '#points';
import { RecordReader } from '#records';
import type { Sent, WriteScalarRequest, WriteTensorRequest } from '#protocols';
import { codecOf } from '#grpc';
import { blobRecords, readWriteScalar, readWriteTensor, type RequestRecords } from './request-records.ts';
import { wallTimeOf } from './wall-time.ts';

const waits = new AbortController().signal;
const scalarRecords = async (request: Sent<WriteScalarRequest>): Promise<RequestRecords> =>
  (await readWriteScalar(codecOf('tensorboard.service.WriteScalarRequest').encode(request), waits)).records;
const tensorRecords = async (request: Sent<WriteTensorRequest>): Promise<RequestRecords> =>
  (await readWriteTensor(codecOf('tensorboard.service.WriteTensorRequest').encode(request), waits)).records;

/** The first run, as the ingest worker would read it. */
function read({ runs }: RequestRecords) {
  const collector = new PointCollector();
  const reader = new RecordReader();
  for (const piece of runs[0]!.pieces) reader.push(piece, (buf, start, end, offset) => collector.event(buf, start, end, offset));
  return collector.take();
}

const at = (step: bigint, value: number, seconds = 1_567_808_404n, nanos = 765_432_119) => ({
  step,
  wallTime: { seconds, nanos },
  value,
});

const request = (points: ReturnType<typeof at>[]): Sent<WriteScalarRequest> => ({
  runs: [{ name: 'train', tags: [{ name: 'loss', points, metadata: Buffer.alloc(0) }] }],
});

it('keeps every number exactly, float32 or not, and every step', async () => {
  const values = [0.1, Math.fround(0.1), NaN, Infinity, -0, 1e300, 2 ** -149, 5e-324];
  const steps = [0n, 1n, -1n, 2n ** 31n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 300n];
  const batch = read(await scalarRecords(request(values.map((value, i) => at(steps[i]!, value)))));
  expect(batch.problems).toEqual([]);
  const { meta, scalars } = batch.series[0]!;
  expect(meta).toMatchObject({ tag: 'loss', dataClass: 'scalar', plugin: 'scalars', listed: true });
  expect([...scalars!.values]).toEqual(values);
  expect([...scalars!.steps]).toEqual(steps);
  expect(new Set(scalars!.wallTimes)).toEqual(new Set([1_567_808_404.765432119]));
});

it('returns the time as the float that the client split', () => {
  for (const seconds of [1_567_808_404.765432119, 1.000000002, 1.75, 0, 1e9 - 1e-7]) {
    const whole = Math.trunc(seconds);
    expect(wallTimeOf({ seconds: BigInt(whole), nanos: Math.round((seconds - whole) * 1e9) })).toBe(seconds);
  }
  expect(wallTimeOf({ seconds: 1n, nanos: 1_000_000_000 })).toBe(2);
  expect(wallTimeOf(null)).toBe(0);
});

it('has the same hash for the same request, and a different one for others', async () => {
  const hash = async (points: ReturnType<typeof at>[]) => (await scalarRecords(request(points))).hash.toString('hex');
  expect(await hash([at(1n, 2)])).toBe(await hash([at(1n, 2)]));
  const all = [[at(1n, 2)], [at(1n, 3)], [at(2n, 2)], [at(1n, 2), at(1n, 2)]].map(hash);
  expect(new Set(await Promise.all(all)).size).toBe(4);
});

it('keeps tensors unchanged, and blobs as one value', async () => {
  const tensor = Buffer.from('080112002a040000803f', 'hex');
  const tensors = read(
    await tensorRecords({
      runs: [
        {
          name: '.',
          tags: [{ name: 't', points: [{ ...at(7n, 0), value: tensor }], metadata: Buffer.from('0a060a0474657874', 'hex') }],
        },
      ],
    }),
  );
  expect(tensors.problems).toEqual([]);
  expect(tensors.series[0]!.meta).toMatchObject({ plugin: 'text', dataClass: 'tensor' });
  expect(tensors.series[0]!.tensors).toMatchObject([{ step: 7n, dtype: 'float32', shape: [], data: Uint8Array.of(0, 0, 0x80, 0x3f) }]);
  const blobs = [Buffer.from('640'), Buffer.from('480'), Buffer.alloc(300_000, 7)];
  const place = { tag: Buffer.from('image'), step: 3n, wallTime: 12.5, metadata: Buffer.from('0a080a06696d61676573', 'hex') };
  const images = read(blobRecords('train', place, blobs));
  expect(images.problems).toEqual([]);
  const [sequence] = images.series[0]!.blobSequences;
  expect(sequence).toMatchObject({ step: 3n, wallTime: 12.5 });
  expect(sequence!.blobs.map((blob) => Buffer.compare(blob, blobs[sequence!.blobs.indexOf(blob)]!))).toEqual([0, 0, 0]);
  expect(read(blobRecords('train', place, [])).series[0]!.blobSequences).toMatchObject([{ blobs: [] }]);
});

it('writes nothing for a run without points', async () => {
  expect((await scalarRecords(request([]))).runs).toEqual([]);
});

describe('requests of any shape', () => {
  /** A message nested this many levels deep. */
  const repeated = (key: number, inner: Uint8Array, times: number): Buffer =>
    Buffer.concat(Array.from({ length: times }, () => bytesField(key, inner)));
  const run = (tags: Uint8Array): Buffer => Buffer.from(bytesField(2, joinBytes(stringField(1, 'run'), tags)));
  const codeOf = (reading: Promise<unknown>): Promise<string> =>
    reading.then(
      () => 'read',
      (error: unknown) => (error instanceof Problem ? error.code : String(error)),
    );

  it.each([
    ['empty tags', run(repeated(2, new Uint8Array(), 50_001))],
    ['empty points', run(bytesField(2, joinBytes(stringField(1, 'tag'), repeated(2, new Uint8Array(), 300_001))))],
    ['empty runs', repeated(2, stringField(1, 'r'), 10_001)],
  ])('with too many %s are rejected', async (_, message) => {
    expect(await codeOf(readWriteScalar(message, waits))).toBe('body-too-large');
    expect(await codeOf(readWriteTensor(message, waits))).toBe('body-too-large');
  });

  it('use at most a few times their bytes of memory', async () => {
    const message = Buffer.concat(
      Array.from({ length: 10_000 }, (_, i) =>
        bytesField(
          2,
          joinBytes(stringField(1, `run-${i}`), bytesField(2, joinBytes(stringField(1, 'tag'), bytesField(2, new Uint8Array())))),
        ),
      ),
    );
    const { records } = await readWriteScalar(message, waits);
    expect(records.runs).toHaveLength(10_000);
    const kept = new Set(records.runs.flatMap(({ pieces }) => pieces.map(({ buffer }) => buffer)));
    expect([...kept].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(20 * message.length);
  });

  it('stop being read once their call is canceled, and yield to others', async () => {
    const point = codecOf('tensorboard.service.ScalarPoint').encode({ step: 1, wallTime: { seconds: 1, nanos: 1 }, value: 1 });
    const message = run(bytesField(2, joinBytes(stringField(1, 'tag'), repeated(2, point, 200_000))));
    const cancelling = new AbortController();
    const reading = readWriteScalar(message, cancelling.signal);
    setImmediate(() => cancelling.abort(new Error('cancelled')));
    await expect(reading).rejects.toThrow('cancelled');
  });
});
