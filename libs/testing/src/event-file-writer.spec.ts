import { describe, expect, it } from 'vitest';
import { encodeEvent, writeEventFile } from './event-file-writer.ts';
import { stringTensor, tensorValue } from './summary-values.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('writeEventFile', () => {
  it('starts with the version record that TensorFlow writes', () => {
    // The first 40 bytes of a file that tf.summary wrote: length, checksum of the length,
    // Event{wall_time, file_version}, checksum
    const file = writeEventFile([{ fileVersion: 'brain.Event:2', wallTime: 0 }]);
    expect(hex(file.subarray(0, 12))).toBe('1800000000000000a37f4b22');
    expect(Buffer.from(file.subarray(12, 36)).toString('latin1')).toBe('\x09\0\0\0\0\0\0\0\0\x1a\x0dbrain.Event:2');
    expect(file).toHaveLength(40);
  });

  it('writes scalars as TF2 does, and negative steps as int64', () => {
    expect(hex(encodeEvent({ wallTime: 0, step: -1, scalars: { a: 1 } }))).toBe(
      '090000000000000000' +
        '10ffffffffffffffffff01' +
        '2a1f' +
        '0a1d' +
        '0a0161' +
        '4209' +
        '0801' +
        '1200' +
        '2d0000803f' +
        '4a0d' +
        '0a090a077363616c617273' +
        '2001',
    );
  });

  it('writes serialized values after the scalars, in the same summary', () => {
    const text = tensorValue('t', 'text', 'tensor', stringTensor(['x']));
    // Value{tag "t", tensor{DT_STRING, shape [1], "x"}, metadata{plugin "text", DATA_CLASS_TENSOR}}
    expect(hex(text)).toBe('0a0174' + '420b' + '0807' + '1204' + '12020801' + '420178' + '4a0a' + '0a060a0474657874' + '2002');
    const scalar = '0a1d' + hex(encodeEvent({ wallTime: 0, scalars: { a: 1 } })).slice(26);
    expect(hex(encodeEvent({ wallTime: 0, scalars: { a: 1 }, values: [text] }))).toBe(
      '090000000000000000' + '2a3d' + scalar + '0a1c' + hex(text), // 61 bytes: 2 + 29 and 2 + 28
    );
  });

  it('omits absent fields of an event', () => {
    expect(hex(encodeEvent({ wallTime: 0 }))).toBe('090000000000000000');
    expect(hex(encodeEvent({ wallTime: 0, sessionStart: true }))).toBe('0900000000000000003a020801');
  });
});
