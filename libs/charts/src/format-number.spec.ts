import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countText,
  formatColumn,
  formatCount,
  formatDistinct,
  formatDuration,
  formatExact,
  formatHparam,
  formatShort,
  formatValue,
  tickLabels,
} from './format-number.ts';
import { makeScale, scaleKinds } from './scale.ts';
import { ticksOf } from './ticks.ts';

describe('labels of ticks', () => {
  it.each([
    [
      [0, 0.25, 0.5, 0.75, 1],
      ['0', '0.25', '0.50', '0.75', '1.00'],
    ],
    [
      [0.2, 0.4, 0.6],
      ['0.2', '0.4', '0.6'],
    ],
    [
      [-2, 0, 2],
      ['−2', '0', '2'],
    ],
    [
      [0, 1000, 2000],
      ['0', '1k', '2k'],
    ],
    [
      [0, 2500, 5000],
      ['0', '2,500', '5,000'],
    ],
    [
      [0, 25_000, 50_000],
      ['0', '25k', '50k'],
    ],
    [
      [10_500, 11_000],
      ['10.5k', '11.0k'],
    ],
    [
      [1_000_000, 1_500_000],
      ['1.0M', '1.5M'],
    ],
    [
      [2e-7, 4e-7],
      ['2e-7', '4e-7'],
    ],
    [
      [0.01, 0.1, 1, 10],
      ['0.01', '0.1', '1', '10'],
    ],
    [
      [1e-5, 1, 1e5],
      ['1e-5', '1', '100k'],
    ],
    [
      [-1000, -10, 0, 10, 1000],
      ['−1k', '−10', '0', '10', '1k'],
    ],
    [
      [100.1, 100.2],
      ['100.1', '100.2'],
    ],
    [
      [2.5e31, 5e31, 7.5e31, 1e32],
      ['2.5e31', '5e31', '7.5e31', '1e32'],
    ],
    [
      [2.5e-29, 5e-29, 7.5e-29],
      ['2.5e-29', '5e-29', '7.5e-29'],
    ],
    [
      [5000, 5001],
      ['5,000', '5,001'],
    ],
    [
      [1e9, 1e9 + 0.1, 1e9 + 0.2],
      ['1,000,000,000.0', '1,000,000,000.1', '1,000,000,000.2'],
    ],
    [
      [1e18, 1e18 + 1024, 1e18 + 2048],
      ['1,000,000,000,000,000,000', '1,000,000,000,000,001,024', '1,000,000,000,000,002,048'],
    ],
    [
      [2.375e-4, 2.4e-4],
      ['2.375e-4', '2.4e-4'],
    ],
    [
      [1e15 + 1, 1e15 + 2],
      ['1,000,000,000,000,001', '1,000,000,000,000,002'],
    ],
    [
      [1.2345678e-30, 1.2345679e-30],
      ['1.2345678e-30', '1.2345679e-30'],
    ],
  ])('%j', (ticks, labels) => expect(tickLabels(ticks)).toEqual(labels));
});

/** The number that a label represents. */
const read = (label: string): number => {
  const unit = { k: 1e3, M: 1e6, G: 1e9, T: 1e12 }[label.at(-1)!];
  return Number((unit ? label.slice(0, -1) : label).replaceAll(',', '').replace('−', '-')) * (unit ?? 1);
};

it('labels of any axis match their ticks, and are distinct', () => {
  const place = fc.double({ min: -1e20, max: 1e20, noNaN: true });
  fc.assert(
    fc.property(place, fc.double({ min: 1e-12, max: 1, noNaN: true }), fc.constantFrom(...scaleKinds), (from, share, kind) => {
      const to = from + Math.max(Math.abs(from) * share, 1e-15);
      fc.pre(to - from > Math.abs(from) * 1e-12 && (kind !== 'log' || from > 0));
      const ticks = ticksOf(makeScale(kind, from, to));
      const labels = tickLabels(ticks);
      expect(new Set(labels).size).toBe(ticks.length);
      labels.forEach((label, i) => expect(Math.abs(read(label) - ticks[i]!)).toBeLessThanOrEqual((to - from) / 100));
    }),
  );
});

describe('formatted numbers', () => {
  it.each([
    [0.123456789, '0.123457'],
    [0.5, '0.5'],
    [-1234.5, '−1234.5'],
    [123456.789, '123,456.79'],
    [1e-7, '1e-7'],
    [2.5e12, '2.5e12'],
    [1_234_567_891, '1,234,567,891'],
    [-9_007_199_254_740_991, '−9,007,199,254,740,991'],
    [1_234_567_891.5, '1.2346e9'],
    [Number.NaN, 'NaN'],
    [-Infinity, '−∞'],
    [0, '0'],
  ])('%d is %s', (value, text) => expect(formatValue(value)).toBe(text));

  it.each([
    [Math.fround(12.3456), '12.3456'],
    [0.1 + 0.2, '0.30000000000000004'],
    [Math.fround(1 / 3), '0.33333334'],
    [-16_777_216, '−16777216'],
    [123_456_792, '123456792'],
    [2 ** 64, '18446744073709551616'],
    [1e21, '1e21'],
    [1e-7, '1e-7'],
    [-Infinity, '−∞'],
    [0, '0'],
  ])('in full: %d is %s', (value, text) => expect(formatExact(value)).toBe(text));

  it.each([
    [1_234_567_891, '1234567891'],
    [20_240_101, '20240101'],
    [Number('9007199254740993'), '9007199254740992'], // what float64 holds, and so does the log
    [12_345_678_901_234_567_168, '12345678901234567168'],
    [-42, '−42'],
    [2.375e-4, '0.0002375'],
    [0.1, '0.1'],
    [Math.fround(0.1), '0.10000000149011612'],
    [3e-7, '3e-7'],
    ['Infinity', '∞'],
    ['NaN', 'NaN'],
    ['0.10', '0.10'],
    [true, 'true'],
  ])('hyperparameters are in full: %s is %s', (value, text) => expect(formatHparam(value)).toBe(text));

  it('differ where their values differ', () => {
    expect(formatDistinct([0.5, 0.5000001, 0.25, 0.5])).toEqual(['0.5', '0.5000001', '0.25', '0.5']);
    expect(formatDistinct([1_234_567_891.5, 1_234_567_892.5, Number.NaN, Number.NaN])).toEqual([
      '1234567891.5',
      '1234567892.5',
      'NaN',
      'NaN',
    ]);
    expect(formatColumn([1e9 + 0.1, 1e9 + 0.25, 1])).toEqual(['1000000000.1', '1000000000.25', '1']);
    expect(formatColumn([0.5000001, 0.5, 1e-7])).toEqual(['0.5000001', '0.5', '1e-7']);
  });

  it('align their decimal points in a column', () => {
    expect(formatColumn([0.268876, 0.1, 0.17273])).toEqual(['0.26888', '0.10000', '0.17273']);
    expect(formatColumn([1234.5, -2, Number.NaN])).toEqual(['1,234.5', '−2.0', 'NaN']);
    expect(formatColumn([10, 1e-5])).toEqual(['10', '1e-5']);
    expect(formatColumn([0, 0])).toEqual(['0', '0']);
    expect(formatColumn([1e9 + 0.1, 1e9 + 0.25])).toEqual(['1,000,000,000.10', '1,000,000,000.25']);
    expect(formatColumn([1_000_000, 1_000_001])).toEqual(['1,000,000', '1,000,001']);
    expect(formatColumn([0.5000001, 0.5])).toEqual(['0.5000001', '0.5000000']);
    expect(formatColumn([])).toEqual([]);
  });

  it('count exactly, also beyond 2^53', () => {
    expect(formatCount(12_000)).toBe('12,000');
    expect(formatCount('9223372036854775807')).toBe('9,223,372,036,854,775,807');
    expect([0, 1, 12_000].map((count) => countText(count, 'point'))).toEqual(['0 points', '1 point', '12,000 points']);
    expect([812, 1234, 99_999, 1_200_000].map(formatShort)).toEqual(['812', '1.2 k', '100 k', '1.2 M']);
  });

  it.each([
    [0.25, '0.25 s'],
    [42.4, '42 s'],
    [200, '3 min 20 s'],
    [7500, '2 h 5 min'],
    [273_600, '3 d 4 h'],
    [3600, '1 h'],
    [-5, '−5 s'],
    [Number.NaN, '–'],
  ])('%d seconds are %s', (seconds, text) => expect(formatDuration(seconds)).toBe(text));
});
