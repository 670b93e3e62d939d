import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameRecords } from '#records/testing';
import { findWholeRecords, packRecords, unpackRecords } from './record-planes.ts';

const records = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    // Many records of one length, so that they are interleaved.
    fc.tuple(fc.integer({ min: 16, max: 40 }), fc.uint8Array({ minLength: 30, maxLength: 30 })).map(([count, data]) => ({ count, data })),
  ),
  { maxLength: 8 },
);

function frame(list: readonly (Uint8Array | { count: number; data: Uint8Array })[]): Buffer {
  const all = list.flatMap((item) =>
    item instanceof Uint8Array ? [item] : Array.from({ length: item.count }, (_, i) => item.data.map((byte, at) => (at === 3 ? i : byte))),
  );
  return Buffer.from(frameRecords(all));
}

describe('packed records', () => {
  it('unpack to the same bytes', () => {
    fc.assert(
      fc.property(records, (list) => {
        const bytes = frame(list);
        const packed = packRecords(bytes);
        expect(packed).not.toBeNull();
        expect(unpackRecords(packed!, bytes.length).equals(bytes)).toBe(true);
      }),
    );
  });

  it('are rejected when any byte of the framing or of a checksum differs', () => {
    fc.assert(
      fc.property(records, fc.nat(), fc.integer({ min: 1, max: 255 }), (list, at, change) => {
        const bytes = frame([...list, Buffer.from('last')]);
        bytes[at % bytes.length]! ^= change;
        const packed = packRecords(bytes);
        // A change can go unnoticed only if the checksums match, in which case it is preserved.
        if (packed) expect(unpackRecords(packed, bytes.length).equals(bytes)).toBe(true);
        else expect(packed).toBeNull();
      }),
    );
    const bytes = frame([Buffer.from('data')]);
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 1;
      expect(packRecords(damaged), `byte ${at}`).toBeNull();
    }
    expect(packRecords(bytes.subarray(0, bytes.length - 1))).toBeNull();
  });

  it('never unpack to other bytes without an error', () => {
    const bytes = frame([{ count: 20, data: Buffer.alloc(30, 7) }, Buffer.from('x')]);
    const packed = packRecords(bytes)!;
    for (const damaged of [
      packed.subarray(1),
      packed.subarray(0, packed.length - 1),
      Buffer.alloc(0),
      Buffer.alloc(50, 255),
      Buffer.concat([packed, packed]),
    ]) {
      expect(() => unpackRecords(damaged, bytes.length)).toThrow(RangeError);
    }
  });
});

describe('findWholeRecords', () => {
  it('finds the end of the last whole record, and the length of the partial one', () => {
    const bytes = frame([Buffer.from('one'), Buffer.from('three')]);
    expect(findWholeRecords(bytes)).toEqual({ end: 40, next: null });
    expect(findWholeRecords(bytes.subarray(0, 39))).toEqual({ end: 19, next: 21 });
    expect(findWholeRecords(bytes.subarray(0, 25))).toEqual({ end: 19, next: null });
  });

  it('stops at a length with a wrong checksum', () => {
    const bytes = frame([Buffer.from('one'), Buffer.from('three')]);
    bytes[20]! ^= 1;
    expect(findWholeRecords(bytes)).toEqual({ end: 19, next: null });
  });
});
