import { describe, expect, it } from 'vitest';
import { MessageWriter } from './message-writer.ts';
import { summaryMetadataMessage } from './summary-metadata-message.ts';
import { tensorMessage } from './tensor-message.ts';
import { timestampOf } from './timestamp-message.ts';

const hex = (bytes: Uint8Array | null): string => Buffer.from(bytes!).toString('hex');

describe('hand-written message encoders', () => {
  it('produce the bytes of protobuf', () => {
    const message = new MessageWriter(1)
      .varint(1, 300)
      .varint(2, -1n)
      .varint(3, 2 ** 40)
      .double(4, 1)
      .fixed32(5, 0xfeedbeef)
      .bytes(6, 'é')
      .packedInt64(7, BigInt64Array.of(0n, -(2n ** 63n), 128n))
      .packedDoubles(8, Float64Array.of(-0));
    expect(hex(message.finish())).toBe(
      [
        '08ac02',
        '10ffffffffffffffffff01',
        '18808080808020',
        '21000000000000f03f',
        '2defbeedfe',
        '3202c3a9',
        '3a0d00808080808080808080018001',
        '42080000000000000080',
      ].join(''),
    );
  });

  it('encode tensors of numbers, of strings, and empty ones', () => {
    // dtype DT_FLOAT, shape [2], tensor_content
    expect(hex(tensorMessage('float32', [2], new Uint8Array(Float32Array.of(1, 2).buffer)))).toBe(
      '0801120412020802' + '22080000803f00000040',
    );
    // dtype DT_STRING, shape [2], string_val twice, one of them empty
    expect(hex(tensorMessage('string', [2], Uint8Array.of(0, 0, 0, 1, 65, 0, 0, 0, 0)))).toBe('0807120412020802' + '420141' + '4200');
    // The null tensor of hparams: float32 of shape [0]
    expect(hex(tensorMessage('float32', [0], new Uint8Array()))).toBe('0801120412020800');
    expect(hex(tensorMessage('float64', [], new Uint8Array(8)))).toBe('08021200' + '22080000000000000000');
    expect(tensorMessage('undecodable', [], Uint8Array.of(1))).toBeNull();
  });

  it('encode metadata', () => {
    const series = {
      plugin: 'images',
      pluginContent: Uint8Array.of(16, 1),
      displayName: 'a',
      description: 'b',
      dataClass: 'blob_sequence',
    } as const;
    expect(hex(summaryMetadataMessage(series))).toBe('0a0c' + '0a06696d61676573' + '12021001' + '120161' + '1a0162' + '2003');
  });
});

describe('a wall time as a Timestamp', () => {
  it.each([
    // Protocol reference E, uploader and exporter tests: to the nanosecond
    [1567808404.765432119, 1567808404, 765432119],
    [1.000000002, 1, 2],
    [0, 0, 0],
    [-1.25, -2, 750_000_000],
    [1.9999999999, 2, 0],
    [Number.NaN, 0, 0],
    [400_000_000_000.5, 400_000_000_000, 500_000_000],
    [Infinity, 2 ** 63 - 1024, 0],
    [-1e300, 1024 - 2 ** 63, 0],
  ])('%s', (wallTime, seconds, nanos) => {
    expect(timestampOf(wallTime)).toEqual({ seconds, nanos });
  });
});
