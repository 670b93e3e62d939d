import fc from 'fast-check';
import { expect, it } from 'vitest';
import { itemsOf } from '#columns/testing';
import type { StoredItems } from '#originals';
import { PointCollector } from '#points';
import { frameRecord } from '#records/testing';
import { type EventSpec, encodeEvent, writeEventFile } from '#testing';
import { parseRange, type ParseBounds } from './parse-range.ts';

/** Random files. Set `PROPERTY_RUNS=10000` for a long run. */
const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 150);

const number = fc.oneof(fc.float(), fc.constantFrom(0, -0, NaN, Infinity, 1e-42));
const event: fc.Arbitrary<EventSpec> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      step: fc.nat(40_000_000),
      wallTime: fc.double(),
      scalars: fc.dictionary(fc.constantFrom('loss', 'lr'), number, { maxKeys: 2 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ step: fc.nat(300), simpleValues: fc.record({ loss: number }) }) },
  { weight: 2, arbitrary: fc.record({ simpleValues: fc.record({ loss: number, acc: number }) }) },
  { weight: 1, arbitrary: fc.record({ step: fc.bigInt({ min: -5n, max: 2n ** 62n }), scalars: fc.record({ lr: number }) }) },
  { weight: 1, arbitrary: fc.record({ step: fc.nat(300), sessionStart: fc.constant(true) }) },
  { weight: 1, arbitrary: fc.record({ logMessage: fc.string() }) },
);

/** A damaged file: bytes are changed, records are random, or the end is truncated. */
const file = fc
  .record({
    events: fc.array(fc.tuple(event, fc.integer({ min: 1, max: 6 })), { maxLength: 20 }),
    strange: fc.array(fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 40 })), { maxLength: 2 }),
    changes: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 2 }),
    cut: fc.nat(50),
  })
  .map(({ events, strange, changes, cut }) => {
    const specs = events.flatMap(([spec, times]) =>
      Array.from({ length: times }, (_, i) => ({ ...spec, ...(typeof spec.step === 'number' && { step: spec.step + i }) })),
    );
    const records = [Buffer.from(writeEventFile([])), ...specs.map((spec) => Buffer.from(frameRecord(encodeEvent(spec))))];
    for (const [at, data] of strange) records.splice(1 + (at % records.length), 0, Buffer.from(frameRecord(data)));
    const bytes = Buffer.concat(records);
    for (const [at, change] of changes) bytes[at % bytes.length]! ^= change;
    return bytes.subarray(0, Math.max(bytes.length - cut, 0));
  });

async function parse(pieces: readonly (Buffer | StoredItems)[], from: number, bounds: ParseBounds) {
  const witnessed: number[] = [];
  async function* yielded() {
    yield* pieces;
  }
  const parsed = await parseRange(from, yielded(), new PointCollector(), bounds, (offset) => witnessed.push(offset));
  return { ...parsed, witnessed };
}

it('reads the same from columns as from bytes, for any bounds of ranges', { timeout: 30_000 + 50 * numRuns }, async () => {
  let points = 0;
  await fc.assert(
    fc.asyncProperty(
      file,
      fc.array(fc.tuple(fc.nat(), fc.boolean()), { maxLength: 4 }),
      fc.constantFrom(1, 200, 1_000, Infinity),
      fc.array(fc.nat(3_000), { maxLength: 3 }),
      async (bytes, cuts, maxBytes, skipped) => {
        const places = [0, ...cuts.map(([at]) => at % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
        const pieces = places.slice(1).map((end, i) => bytes.subarray(places[i], end));
        const coded = pieces.map((piece, i) => (cuts[i]?.[1] === false ? piece : { length: piece.length, items: itemsOf(piece) }));
        const { witnessed } = await parse(pieces, 0, { maxBytes: Infinity, quarantined: new Set(), isUnverified: false });
        const quarantined = new Set(skipped.map((n) => witnessed[n % witnessed.length] ?? 0));
        const bounds = { maxBytes, quarantined, isUnverified: false };
        const expected = await parse(pieces, 0, bounds);
        expect(await parse(coded, 0, bounds)).toEqual(expected);
        points += expected.batch.series.reduce((sum, { scalars }) => sum + (scalars?.steps.length ?? 0), 0);
        // The next transaction starts where this one ended, in the middle of a range.
        if (expected.ended || expected.parsedOffset === 0) return;
        const rest = bytes.subarray(expected.parsedOffset);
        const next = { ...bounds, isUnverified: expected.unverified === expected.batch.records };
        expect(await parse([{ length: rest.length, items: itemsOf(rest) }], expected.parsedOffset, next)).toEqual(
          await parse([rest], expected.parsedOffset, next),
        );
      },
    ),
    { numRuns },
  );
  expect(points).toBeGreaterThan(numRuns);
});
