import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBody } from './body.ts';
import { CorruptChunkError } from './chunk.ts';
import { concatPoints } from './point-slices.ts';
import { decodeStoredSeries, encodeStoredSeries, plainPiece, type StoredSeries } from './stored-series.ts';
import { anyPoints, bits, noisyPoints } from './testing/point-arbitraries.ts';

const piece = fc.tuple(fc.constantFrom('chunk' as const, 'plain' as const), anyPoints({ minLength: 1, maxLength: 300 }));
const series = fc.record({
  run: fc.string({ unit: 'grapheme' }),
  tag: fc.string({ unit: 'grapheme' }),
  writer: fc.nat(3),
  pieces: fc.array(piece, { minLength: 1, maxLength: 5 }),
});

const stored = (form: 'chunk' | 'plain', points: Parameters<typeof plainPiece>[0]) =>
  form === 'plain' ? plainPiece(points) : { form, bytes: encodeBody(points, { first: 0, column: null }) };

describe('a stream of stored series', () => {
  it('keeps every point of every series bit for bit', () => {
    fc.assert(
      fc.property(fc.array(series, { maxLength: 4 }), (list) => {
        const bytes = Buffer.concat(
          list.flatMap((one) => encodeStoredSeries({ ...one, pieces: one.pieces.map(([form, points]) => stored(form, points)) })),
        );
        const found = [...decodeStoredSeries(bytes)];
        expect(found.map(({ run, tag, writer }) => ({ run, tag, writer }))).toEqual(
          list.map(({ run, tag, writer }) => ({ run, tag, writer })),
        );
        for (const [i, { pieces }] of list.entries()) {
          const all = concatPoints(pieces.map(([, points]) => points));
          expect(found[i]!.steps).toEqual(all.steps);
          expect(bits(found[i]!.wallTimes)).toEqual(bits(all.wallTimes));
          expect(bits(found[i]!.values)).toEqual(bits(all.values));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('keeps a series of many chunks', () => {
    const points = noisyPoints({ count: 4096, clock: 'nanoseconds', float32: true, seed: 1 });
    const pieces = Array.from({ length: 30 }, (_, i) => stored(i % 7 === 3 ? 'plain' : 'chunk', points));
    const [found] = decodeStoredSeries(Buffer.concat(encodeStoredSeries({ run: '.', tag: 'loss', writer: 0, pieces })));
    expect(found!.values).toEqual(concatPoints(pieces.map(() => points)).values);
  });

  const points = noisyPoints({ count: 200, clock: 'microseconds', float32: true, seed: 2 });
  const whole: StoredSeries = { run: 'a', tag: 'b', writer: 0, pieces: [stored('chunk', points), stored('plain', points)] };

  it('is rejected when it is truncated anywhere', () => {
    const bytes = Buffer.concat(encodeStoredSeries(whole));
    for (let length = 1; length < bytes.length; length += 13)
      expect(() => [...decodeStoredSeries(bytes.subarray(0, length))]).toThrow(CorruptChunkError);
  });

  it.each([
    ['that is not JSON', 'nothing'],
    ['without names', '{"writer":0,"pieces":[]}'],
    ['with a form that is not known', '{"run":"","tag":"","writer":0,"pieces":[["columns",0]]}'],
    ['with plain columns of different lengths', '{"run":"","tag":"","writer":0,"pieces":[["plain",1]]}'],
  ])('is rejected with a head %s', (_, text) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(text.length);
    expect(() => [...decodeStoredSeries(Buffer.concat([length, Buffer.from(`${text} `)]))]).toThrow(CorruptChunkError);
  });
});
