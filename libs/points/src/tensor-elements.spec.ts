import { describe, expect, it } from 'vitest';
import type { DtypeName } from '#model';
import { PointCollector, type TensorElement, tensorElements } from './index.ts';
import { doubles, field, floats, summaryEvent, tensor, summaryValue, varint } from './testing/event-bytes.ts';

/** DataType number, name, the value list with two elements, the packed bytes, the elements. */
const types: [bigint, DtypeName, Uint8Array, string, TensorElement[]][] = [
  [1n, 'float32', field(5, floats(1.5, -0)), '0000c03f00000080', [1.5, -0]],
  [2n, 'float64', field(6, doubles(0.1, NaN)), '9a9999999999b93f000000000000f87f', [0.1, NaN]],
  [3n, 'int32', field(7, varint(-2, 3)), 'feffffff03000000', [-2, 3]],
  [4n, 'uint8', field(7, varint(255, 3)), 'ff03', [255, 3]],
  [5n, 'int16', field(7, varint(-2, 3)), 'feff0300', [-2, 3]],
  [6n, 'int8', field(7, varint(-2, 3)), 'fe03', [-2, 3]],
  [7n, 'string', Buffer.concat([field(8, 'ab'), field(8, Uint8Array.of(0xff))]), '00000002616200000001ff', ['ab', Uint8Array.of(0xff)]],
  [
    8n,
    'complex64',
    field(9, floats(1, 2, 3, 4)),
    '0000803f000000400000404000008040',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  [9n, 'int64', field(10, varint(-(2n ** 63n), 5)), '00000000000000800500000000000000', [-(2n ** 63n), 5n]],
  [10n, 'bool', field(11, varint(1, 0)), '0100', [true, false]],
  [11n, 'qint8', field(7, varint(-2, 3)), 'fe03', [-2, 3]],
  [14n, 'bfloat16', field(13, varint(0x3fc0, 0x8000)), 'c03f0080', [1.5, -0]],
  [17n, 'uint16', field(7, varint(65535, 3)), 'ffff0300', [65535, 3]],
  [
    18n,
    'complex128',
    field(12, doubles(1, 2, 3, 4)),
    '000000000000f03f000000000000004000000000000008400000000000001040',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  [19n, 'float16', field(13, varint(0x7c00, 1)), '007c0100', [Infinity, 2 ** -24]],
  [22n, 'uint32', field(16, varint(4294967295, 3)), 'ffffffff03000000', [4294967295, 3]],
  [23n, 'uint64', field(17, varint(2n ** 64n - 1n, 3)), 'ffffffffffffffff0300000000000000', [2n ** 64n - 1n, 3n]],
];

describe('tensors of every number type', () => {
  it.each(types)('%s %s: from its value list', (number, name, list, packed, elements) => {
    const point = read(tensor(number, [2], list));
    expect(point).toMatchObject({ dtype: name, shape: [2] });
    expect(Buffer.from(point.data).toString('hex')).toBe(packed);
    expect(tensorElements(point.dtype, point.shape, point.data)).toEqual(elements);
  });

  it.each(types.filter(([, name]) => name !== 'string'))(
    '%s %s: from tensor_content, and from one element for all',
    (number, name, _, packed, elements) => {
      const bytes = Buffer.from(packed, 'hex');
      expect(read(tensor(number, [1, 2], field(4, bytes)))).toMatchObject({ dtype: name, shape: [1, 2], data: bytes });
      expect(tensorElements(name, [1, 2], bytes)).toEqual(elements);
    },
  );

  it('repeats a single element to fill the shape', () => {
    expect(tensorElements('float32', [3], read(tensor(1n, [3], field(5, floats(2.5)))).data)).toEqual([2.5, 2.5, 2.5]);
    expect(tensorElements('complex64', [3], read(tensor(8n, [3], field(9, floats(1, 2)))).data)).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(tensorElements('string', [3], read(tensor(7n, [3], field(8, 'x'))).data)).toEqual(['x', 'x', 'x']);
    expect(read(tensor(1n, [0], field(5, floats(2.5)))).data).toHaveLength(0);
  });

  it.each<[string, bigint, number[]]>([
    ['float8_e5m2', 24n, [0.0001068115234375, -8]],
    ['float8_e4m3fn', 25n, [0.013671875, -4]],
    ['int4', 29n, [7, -8]],
    ['uint4', 30n, [7, 8]],
  ])('%s keeps its bytes and decodes its elements', (name, number, elements) => {
    const bytes = Buffer.of(7, 0xc8);
    const point = read(tensor(number, [2], field(4, bytes)));
    expect(point).toMatchObject({ dtype: name, data: bytes });
    expect(tensorElements(point.dtype, point.shape, point.data)).toEqual(elements);
  });

  it.each<[string, Uint8Array]>([
    ['resources', tensor(20n, [])],
    ['no type', tensor(0n, [1], field(5, floats(1)))],
    ['too few elements', tensor(1n, [3], field(5, floats(1, 2)))],
    ['too many bytes', tensor(1n, [1], field(4, floats(1, 2)))],
    ['a negative dimension', tensor(1n, [-1], field(5, floats(1)))],
    ['an unknown rank', tensor(1n, null, field(2, field(3, 1n)), field(5, floats(1)))],
    [
      'a rank of 300',
      tensor(
        1n,
        Array.from({ length: 300 }, () => 1),
        field(5, floats(1)),
      ),
    ],
  ])('%s: not decoded, and kept unchanged', (_, proto) => {
    expect(read(proto)).toMatchObject({ dtype: 'undecodable', data: Buffer.from(proto) });
  });
});

describe('tensorElements', () => {
  it('rejects bytes that do not match the shape', () => {
    expect(() => tensorElements('float32', [2], new Uint8Array(7))).toThrow(RangeError);
    expect(() => tensorElements('string', [1], Uint8Array.of(0, 0, 0, 9, 1))).toThrow(RangeError);
    expect(() => tensorElements('string', [1], new Uint8Array(8))).toThrow(RangeError);
  });

  it('accepts empty tensors and rank 0', () => {
    expect(tensorElements('float32', [0, 3], new Uint8Array(0))).toEqual([]);
    expect(tensorElements('string', [0], new Uint8Array(0))).toEqual([]);
    expect(tensorElements('uint8', [], Uint8Array.of(9))).toEqual([9]);
  });
});

/**
 * The point that a tensor without metadata becomes: in a series without a data class, everything is
 * kept unchanged.
 */
function read(proto: Uint8Array) {
  const collector = new PointCollector();
  const event = summaryEvent(0n, 1, summaryValue('t', field(8, proto)));
  collector.event(event, 0, event.length, 0);
  const batch = collector.take();
  expect(batch.problems).toEqual([]);
  return batch.series[0]!.tensors[0]!;
}
