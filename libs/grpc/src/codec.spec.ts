import { describe, expect, it } from 'vitest';
import { limits } from '#model';
import type { Messages, Sent } from '#protocols';
import { codecOf, codecOfPart, methods, unboundedRequestLists } from './codec.ts';

const roundTrip = <Name extends keyof Messages>(name: Name, message: Sent<Messages[Name]>): Messages[Name] =>
  codecOf(name).decode(codecOf(name).encode(message));

it('keeps 64-bit integers exactly, alone and packed', () => {
  const steps = [0n, 1n, -1n, 127n, 128n, 2n ** 49n - 1n, 2n ** 49n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
  for (const step of steps) expect(roundTrip('tensorboard.service.ScalarPoint', { step }).step).toBe(step);
  expect(roundTrip('tensorboard.data.ScalarData', { step: steps }).step).toEqual(steps);
  expect(roundTrip('tensorboard.data.ScalarData', { step: [1, 2 ** 40, -7] }).step).toEqual([1n, 2n ** 40n, -7n]);
});

it('distinguishes absent from empty', () => {
  const read = (runTagFilter: Sent<Messages['tensorboard.data.RunTagFilter']>) =>
    roundTrip('tensorboard.data.ReadScalarsRequest', { runTagFilter });
  expect(read({}).runTagFilter).toEqual({});
  expect(read({}).runTagFilter!.runs).toBeNull();
  expect(read({ runs: {} }).runTagFilter!.runs!.names).toEqual([]);
  const nothing = codecOf('tensorboard.service.WriteBlobRequest').decode(Buffer.alloc(0));
  expect([nothing.blobSequenceId, nothing.index, nothing.data.length, nothing.crc32c, nothing.finalizeObject]).toEqual([
    '',
    0n,
    0,
    0,
    false,
  ]);
});

it('passes tensors and metadata on unchanged', () => {
  const value = Buffer.from('0801ffff', 'hex');
  expect(Buffer.from(roundTrip('tensorboard.service.TensorPoint', { value }).value)).toEqual(value);
});

it('sends an encoded message unchanged', () => {
  const bytes = Buffer.from([1, 2, 3]);
  expect(codecOf('tensorboard.data.ReadScalarsResponse').encode(bytes)).toBe(bytes);
});

it.each([
  ['ff', /range|index/],
  ['12ff', /range|index/],
  ['08ffffffffffffffffffffff01', /more than ten bytes/],
  ['08ff', /ends early/],
])('throws for bytes that are not a message: %s', (hex, words) => {
  expect(() => codecOf('tensorboard.service.ScalarPoint').decode(Buffer.from(hex, 'hex'))).toThrow(words);
});

it.each([
  ['0a0161', 'a'],
  ['0a06c3bcf09f8e89', 'ü🎉'],
  ['0a03efbbbf', '\ufeff'],
])('decodes texts unchanged: %s', (hex, expected) => {
  expect(codecOf('tensorboard.service.CreateExperimentRequest').decode(Buffer.from(hex, 'hex')).name).toBe(expected);
});

it.each(['0a0261ff', '0a03eda080', '0a056162', '0affffffff0f61'])('throws for a text that is not UTF-8, or is truncated: %s', (hex) => {
  expect(() => codecOf('tensorboard.service.CreateExperimentRequest').decode(Buffer.from(hex, 'hex'))).toThrow(/utf-8|range|length/);
});

it('has the TensorBoard services, with the kinds of their methods', () => {
  const kinds = Object.fromEntries(methods.map(({ name, requestStream, responseStream }) => [name, [requestStream, responseStream]]));
  expect(kinds).toMatchObject({
    WriteScalar: [false, false],
    WriteBlob: [true, true],
    StreamBlobData: [false, true],
    ReadBlob: [false, true],
  });
  expect(methods.map(({ path }) => path)).toContain('/tensorboard.data.TensorBoardDataProvider/ReadScalars');
});

it('every list of every request has a bound', () => {
  expect(unboundedRequestLists()).toEqual([]);
});

describe('a request with too long a list', () => {
  const { request } = methods.find(({ path }) => path === '/tensorboard.data.TensorBoardDataProvider/ListScalars')!;
  const { encode } = codecOf('tensorboard.data.ListScalarsRequest');
  const filterOf = (names: string[]) =>
    encode({ experimentId: 'e', pluginFilter: { pluginName: 'p' }, runTagFilter: { runs: { names }, tags: { names: ['t'] } } });

  it('is rejected before it is decoded', () => {
    const names = Array.from({ length: limits.maxNamesPerQuery }, () => '');
    expect(request.decode(filterOf(names))).toMatchObject({ experimentId: 'e', runTagFilter: { tags: { names: ['t'] } } });
    expect(() => request.decode(filterOf([...names, '']))).toThrow(/more than 10000 names/);
  });

  it('is also rejected if the list comes in parts', () => {
    const part = filterOf(Array.from({ length: limits.maxNamesPerQuery / 2 + 1 }, () => 'x'));
    expect(() => request.decode(Buffer.concat([part, part]))).toThrow(/more than 10000 names/);
  });
});

describe('a request with too many fields', () => {
  const decoderOf = (path: string) => methods.find((method) => method.path === path)!.request;
  const empty = (id: number): Buffer => Buffer.alloc(2 * 30_000, Buffer.from([(id << 3) | 2, 0]));

  it.each([
    ['/tensorboard.service.TensorBoardWriterService/CreateExperiment', empty(1)],
    ['/tensorboard.service.TensorBoardWriterService/GetOrCreateBlobSequence', empty(99)],
    ['/tensorboard.data.TensorBoardDataProvider/ReadScalars', Buffer.concat([Buffer.from([0x12, 0xe0, 0xd4, 0x03]), empty(1)])],
  ])('is rejected before it is decoded: %s', (path, bytes) => {
    expect(() => decoderOf(path).decode(bytes)).toThrow(/more than 25000 fields/);
  });

  it('also in a part that is read alone', () => {
    expect(() => codecOfPart('tensorboard.service.TensorPoint').decode(empty(3))).toThrow(/more than 25000 fields/);
  });

  it('a group, whose fields are not counted, is rejected', () => {
    expect(() => decoderOf('/tensorboard.service.TensorBoardWriterService/CreateExperiment').decode(Buffer.from('0b0c', 'hex'))).toThrow(
      RangeError,
    );
  });
});
