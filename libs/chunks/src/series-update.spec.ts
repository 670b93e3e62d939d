import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxChunkPoints } from './chunk.ts';
import { SimulatedSeries, type LogEntry, type LogFile } from './testing/simulated-series.ts';

const entry = (maxStep: bigint): fc.Arbitrary<LogEntry> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.bigInt({ min: 0n, max: maxStep }).map((step) => ({ step, start: false })) },
    { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: maxStep }).map((step) => ({ step, start: true })) },
  );

/** Mostly rising steps, like training logs, that occasionally go back or repeat. */
const climb = fc
  .array(
    fc.record({
      length: fc.integer({ min: 1, max: 3000 }),
      back: fc.integer({ min: 0, max: 4000 }),
      stride: fc.constantFrom(0n, 1n, 1n, 1n, 7n),
      start: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((phases): LogFile => {
    const entries: LogEntry[] = [];
    let step = 0n;
    for (const { length, back, stride, start } of phases) {
      step = step > BigInt(back) ? step - BigInt(back) : 0n;
      if (start) entries.push({ step, start: true });
      for (let i = 0; i < length; i++) entries.push({ step: (step += stride), start: false });
    }
    return entries;
  });

/** The order in which batches arrive: a file (by number) and the number of its entries. */
const arrivals = (maxBatch: number) => fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: maxBatch })), { maxLength: 60 });

describe('the chunks of a series', () => {
  it('match the definition, however its files are split and interleaved', () => {
    fc.assert(
      fc.property(fc.array(fc.array(entry(12n), { maxLength: 30 }), { minLength: 1, maxLength: 4 }), arrivals(9), (files, order) => {
        const series = new SimulatedSeries(files);
        series.arrive(order, () => series.expectExact());
      }),
      { numRuns: 600 },
    );
  });

  it('do so for long files, where chunks fill, split and flip', () => {
    fc.assert(
      fc.property(fc.array(climb, { minLength: 1, maxLength: 3 }), arrivals(4000), (files, order) => {
        const series = new SimulatedSeries(files);
        series.arrive(order);
        series.expectExact();
        series.expectFewChunks();
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ['steps that are all zero', () => 0n],
    ['steps that repeat fifty times, as an epoch does', (i: number) => BigInt(Math.floor(i / 50))],
    ['rising steps', (i: number) => BigInt(i)],
    ['steps that zig-zag', (i: number) => BigInt(i - 3 * (i % 3))],
    ['falling steps', (i: number) => BigInt(-i)],
    ['blocks of 2,000 that start again at zero', (i: number) => BigInt(i % 2000)],
  ])('stay few and are seldom rewritten for %s in small batches', (_, stepOf) => {
    const points = 9000;
    const batch = 10;
    const series = new SimulatedSeries([Array.from({ length: points }, (__, i) => ({ step: stepOf(i), start: false }))]);
    series.arrive(Array.from({ length: points / batch }, () => [0, batch]));
    series.expectExact();
    series.expectFewChunks();
    // Each rewrite grows a point's chunk by half; falling steps supersede the point, which rewrites
    // it once more.
    const rewrites = Math.log(maxChunkPoints / batch) / Math.log(1.5) + 3;
    expect(series.pointsWritten / points).toBeLessThan(rewrites);
  });

  it('never cross a START, so that a run that starts again later is stored correctly', () => {
    const rising = (from: number, to: number): LogEntry[] =>
      Array.from({ length: to - from }, (_, i) => ({ step: BigInt(from + i), start: false }));
    const late: LogFile = [{ step: 0n, start: true }, ...rising(0, 5)];
    const early: LogFile = [...rising(10, 20), { step: 12n, start: true }, ...rising(20, 30)];
    const series = new SimulatedSeries([late, early]);
    series.arrive([[1, early.length]]);
    expect(series.chunks().map((chunk) => [chunk.head.afterOffset > 0, chunk.head.superseded])).toEqual([
      [false, false],
      [true, false],
    ]);
    series.arrive([[0, late.length]]);
    series.expectExact();
    expect(series.effectiveSteps()).toEqual([0n, 1n, 2n, 3n, 4n, 10n, 11n, ...Array.from({ length: 10 }, (_, i) => BigInt(20 + i))]);
  });
});
