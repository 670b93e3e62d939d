import { expect, it } from 'vitest';
import { PointCollector } from '#points';
import { RecordReader } from '#records';
import type { WriteScalarRequest } from '#protocols';
import { blobRecords, type RequestRecords, scalarRecords, tensorRecords } from './request-records.ts';
import { wallTimeOf } from './wall-time.ts';

/** What the ingest worker would read of the first run. */
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

const request = (points: ReturnType<typeof at>[]): Pick<WriteScalarRequest, 'runs'> => ({
  runs: [{ name: 'train', tags: [{ name: 'loss', points, metadata: Buffer.alloc(0) }] }],
});

it('keeps every number exactly, float32 or not, and every step', () => {
  const values = [0.1, Math.fround(0.1), NaN, Infinity, -0, 1e300, 2 ** -149, 5e-324];
  const steps = [0n, 1n, -1n, 2n ** 31n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 300n];
  const batch = read(scalarRecords(request(values.map((value, i) => at(steps[i]!, value)))));
  expect(batch.problems).toEqual([]);
  const { meta, scalars } = batch.series[0]!;
  expect(meta).toMatchObject({ tag: 'loss', dataClass: 'scalar', plugin: 'scalars', listed: true });
  expect([...scalars!.values]).toEqual(values);
  expect([...scalars!.steps]).toEqual(steps);
  expect(new Set(scalars!.wallTimes)).toEqual(new Set([1_567_808_404.765432119]));
});

it('gives the time back as the float that the client split', () => {
  for (const seconds of [1_567_808_404.765432119, 1.000000002, 1.75, 0, 1e9 - 1e-7]) {
    const whole = Math.trunc(seconds);
    expect(wallTimeOf({ seconds: BigInt(whole), nanos: Math.round((seconds - whole) * 1e9) })).toBe(seconds);
  }
  expect(wallTimeOf({ seconds: 1n, nanos: 1_000_000_000 })).toBe(2);
  expect(wallTimeOf(null)).toBe(0);
});

it('has one identity for a request, and others for all others', () => {
  const hash = (points: ReturnType<typeof at>[]) => scalarRecords(request(points)).hash.toString('hex');
  expect(hash([at(1n, 2)])).toBe(hash([at(1n, 2)]));
  expect(new Set([hash([at(1n, 2)]), hash([at(1n, 3)]), hash([at(2n, 2)]), hash([at(1n, 2), at(1n, 2)])]).size).toBe(4);
});

it('keeps tensors as they came, and blobs as one value', () => {
  const tensor = Buffer.from('080112002a040000803f', 'hex');
  const tensors = read(
    tensorRecords({
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

it('says nothing of a run without points', () => {
  expect(scalarRecords(request([])).runs).toEqual([]);
});
