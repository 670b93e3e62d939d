import { describe, expect, it } from 'vitest';
import { experimentIdOf } from '#model/testing';
import { asksForBlobOf, pinnedRequest } from './pinned-request.ts';

const own = experimentIdOf('E'.repeat(22));

/** A length-delimited field with this number and content. */
function field(number: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
}

/** A ReadScalarsRequest as stock TensorBoard sends it, with this id. */
const rest = Buffer.concat([field(2, field(1, 'scalars')), field(3, field(1, field(1, 'train'))), field(4, Buffer.from([8, 0xe8, 0x07]))]);

describe('requests through the bridge', () => {
  it.each(['', 'defaultExperimentId', own])('get the pinned experiment id when they name %j', (id) => {
    const request = id === '' ? rest : Buffer.concat([field(1, id), rest]);
    expect(pinnedRequest(request, own)).toEqual(Buffer.concat([field(1, own), rest]));
  });

  it('are rejected when they name another experiment, in any field', () => {
    const other = 'O'.repeat(22);
    expect(pinnedRequest(Buffer.concat([field(1, other), rest]), own)).toBeNull();
    expect(pinnedRequest(Buffer.concat([rest, field(1, other)]), own)).toBeNull();
    expect(pinnedRequest(Buffer.concat([field(1, own), rest, field(1, other)]), own)).toBeNull();
    // The last occurrence of a repeated field counts, and only that occurrence is forwarded.
    expect(pinnedRequest(Buffer.concat([field(1, other), rest, field(1, '')]), own)).toEqual(Buffer.concat([field(1, own), rest]));
  });

  it('keep fields of every type unchanged', () => {
    const odd = Buffer.from([0x18, 0xff, 0x01, 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 0x2d, 1, 2, 3, 4]);
    expect(pinnedRequest(odd, own)).toEqual(Buffer.concat([field(1, own), odd]));
  });

  it.each([[[0x0a]], [[0x0a, 5, 1]], [[0x0b]], [[0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]], [[0x21, 1]]])(
    'that are not messages are rejected: %j',
    (bytes) => {
      expect(() => pinnedRequest(Buffer.from(bytes), own)).toThrow(RangeError);
      expect(asksForBlobOf(Buffer.from(bytes), own)).toBe(false);
    },
  );

  it('read blobs of the pinned experiment only', () => {
    const key = (experiment: unknown): Buffer =>
      field(1, Buffer.from(JSON.stringify([1, experiment, '2', '3', 4, 0])).toString('base64url'));
    expect(asksForBlobOf(key(own), own)).toBe(true);
    expect(asksForBlobOf(key('O'.repeat(22)), own)).toBe(false);
    expect(asksForBlobOf(field(1, 'no key'), own)).toBe(false);
    expect(asksForBlobOf(Buffer.alloc(0), own)).toBe(false);
  });
});
