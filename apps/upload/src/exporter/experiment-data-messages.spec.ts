import { expect, it } from 'vitest';
import { codecOf } from '#grpc';
import { experimentIdOf, fileIdOf, runIdOf, seriesIdOf } from '#model/testing';
import type { StreamExperimentDataResponse } from '#protocols';
import type { SeriesPart } from '#series';
import type { PickedTensor, SeriesSummary } from '#store';
import { experimentDataMessages, type LeftOut, maxMessageBytes } from './experiment-data-messages.ts';

const codec = codecOf('tensorboard.service.StreamExperimentDataResponse');
const experimentId = experimentIdOf('abcdefghijklmnopqrstuv');

function series(given: Partial<SeriesSummary> = {}): SeriesSummary {
  const named = {
    seriesId: seriesIdOf('7'),
    runId: runIdOf('1'),
    run: 'train',
    tag: 'loss',
    writer: 0,
    dataClass: 'scalar',
    listed: true,
    plugin: 'scalars',
  } as const;
  const counts = { points: 0, supersededPoints: 0, invalidPoints: 0, mismatchedPoints: 0, roundedPoints: 0, nanCount: 0, maxLength: null };
  const ends = { firstStep: null, lastStep: null, lastWallTime: null, min: null, max: null, last: null };
  return { ...named, ...counts, ...ends, pluginContent: Buffer.alloc(0), displayName: '', description: '', ...given };
}

async function messagesOf(
  part: SeriesPart,
  objects: Record<string, Buffer> = {},
): Promise<{ sent: Buffer[]; read: StreamExperimentDataResponse[]; leftOut: LeftOut[] }> {
  const sent: Buffer[] = [];
  const leftOut: LeftOut[] = [];
  const source = { experimentId, readObject: async (key: string) => objects[key]!, onLeftOut: (what: LeftOut) => void leftOut.push(what) };
  for await (const message of experimentDataMessages(part, source)) sent.push(message);
  return { sent, read: sent.map((message) => codec.decode(message)), leftOut };
}

const tensor = (step: number, body: Buffer | null, more: Partial<PickedTensor> = {}): PickedTensor => ({
  series: 0,
  total: 1,
  fileId: fileIdOf('3'),
  ordinal: step,
  step: BigInt(step),
  wallTime: step / 4,
  superseded: false,
  dtype: 'float32',
  shape: [(body?.length ?? 0) / 4],
  bytes: body?.length ?? 0,
  body,
  objectKey: null,
  ...more,
});

it('sends every point exactly: int64 steps, wall times to the nanosecond, doubles', async () => {
  const points = {
    steps: BigInt64Array.of(-(2n ** 63n), 0n, 2n ** 63n - 1n),
    wallTimes: Float64Array.of(1567808404.765432119, 1.000000002, -1.25),
    values: Float64Array.of(0.1, -0, NaN),
  };
  const { read } = await messagesOf({ series: series({ displayName: 'Loss' }), points });
  expect(read).toHaveLength(1);
  const [{ runName, tagName, tagMetadata, points: sent, tensors, blobSequences }] = read as [StreamExperimentDataResponse];
  expect([runName, tagName, tensors ?? null, blobSequences ?? null]).toEqual(['train', 'loss', null, null]);
  expect(Buffer.from(tagMetadata).toString('latin1')).toBe('\n\t\n\x07scalars\x12\x04Loss \x01');
  expect(sent!.steps).toEqual([-(2n ** 63n), 0n, 2n ** 63n - 1n]);
  expect(sent!.wallTimes.map((time) => [time.seconds, time.nanos])).toEqual([
    [1567808404n, 765432119],
    [1n, 2],
    [-2n, 750_000_000],
  ]);
  expect(sent!.values).toEqual([0.1, -0, NaN]);
});

it('splits a long series into messages that clients accept', async () => {
  const count = 300_000;
  const points = {
    steps: BigInt64Array.from({ length: count }, (_, i) => BigInt(i) - 2n ** 62n),
    wallTimes: Float64Array.from({ length: count }, (_, i) => 1.7e9 + i / 3),
    values: Float64Array.from({ length: count }, (_, i) => i / 7),
  };
  const { sent, read } = await messagesOf({ series: series({ pluginContent: Buffer.alloc(1_000_000, 1) }), points });
  expect(sent.length).toBeGreaterThan(2);
  expect(Math.max(...sent.map((message) => message.length))).toBeLessThanOrEqual(maxMessageBytes);
  expect(read.flatMap((message) => message.points!.steps)).toEqual([...points.steps]);
  expect(read.flatMap((message) => message.points!.values)).toEqual([...points.values]);
});

it('sends metadata that would fill a message without its content', async () => {
  const points = { steps: BigInt64Array.of(1n), wallTimes: Float64Array.of(1), values: Float64Array.of(1) };
  const { read } = await messagesOf({ series: series({ pluginContent: Buffer.alloc(3 * 2 ** 20, 1) }), points });
  expect(Buffer.from(read[0]!.tagMetadata).toString('latin1')).toBe('\n\t\n\x07scalars \x01');
});

it('sends tensors from rows and objects, and leaves out those that fit no message', async () => {
  const large = Buffer.alloc(1_500_000, 1);
  const histogram = series({ dataClass: 'tensor', plugin: 'histograms', tag: 'weights' });
  const tensors = [
    tensor(0, Buffer.from(Float32Array.of(1.5).buffer)),
    tensor(1, null, { objectKey: 'tensor/a', shape: [375_000] }),
    tensor(2, large),
    tensor(3, large),
    tensor(4, Buffer.alloc(5 * 2 ** 20)),
    tensor(5, Buffer.of(1), { dtype: 'undecodable' }),
    tensor(6, Buffer.of(1), { dtype: 'float8_e5m2', shape: [1] }),
  ];
  const { sent, read, leftOut } = await messagesOf({ series: histogram, tensors }, { 'tensor/a': large });
  expect(Math.max(...sent.map((message) => message.length))).toBeLessThanOrEqual(maxMessageBytes);
  expect(read.map((message) => message.tensors!.steps)).toEqual([[0n, 1n, 2n], [3n]]);
  expect(Buffer.from(read[0]!.tensors!.values[0]!).toString('hex')).toBe('0801' + '120412020801' + '22040000c03f');
  // For the log: the message, without run names and tag names.
  expect(leftOut).toEqual([
    { step: 4n, why: 'too large for a message' },
    { step: 5n, why: 'of no type that TensorBoard has' },
    { step: 6n, why: 'of a type that its clients cannot read' },
  ]);
});

it('sends bfloat16 as the same numbers in float32', async () => {
  const weights = series({ dataClass: 'tensor', plugin: 'histograms', tag: 'weights' });
  const bytes = Buffer.from(Uint16Array.of(0x3fc0, 0xc2f7, 0x7f80).buffer);
  const { read } = await messagesOf({ series: weights, tensors: [tensor(0, bytes, { dtype: 'bfloat16', shape: [3] })] });
  const sent = Buffer.from(read[0]!.tensors!.values[0]!);
  const content = sent.subarray(sent.length - 12);
  expect(sent.subarray(0, 2).toString('hex')).toBe('0801');
  expect([0, 4, 8].map((at) => content.readFloatLE(at))).toEqual([1.5, -123.5, Infinity]);
});

it('identifies each blob by its position, so that equal ones have different ids, and keeps gaps', async () => {
  const hash = 'ab'.repeat(32);
  const images = series({ dataClass: 'blob_sequence', plugin: 'images', tag: 'digits', maxLength: 3 });
  const sequence = { ...tensor(9, null), sha256: [hash, null, hash], bytes: [1, 0, 1] };
  const { read } = await messagesOf({ series: images, sequences: [sequence] });
  const [{ entries }] = read[0]!.blobSequences!.values as [{ entries: { blob: { blobId: string; state: number } | null }[] }];
  expect(entries.map(({ blob }) => blob?.state ?? null)).toEqual([2, null, 2]);
  const ids = entries.flatMap(({ blob }) => (blob ? [blob.blobId] : []));
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,200}$/); // it is used in a file name
});
