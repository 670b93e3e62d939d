import { describe, expect, it } from 'vitest';
import { numberOf, stepOf, timeOf, tooLarge } from './cells.ts';

describe('numberOf', () => {
  it.each(['1e400', '-1e400', '1.8e308', '9'.repeat(400), 10n ** 400n, tooLarge])('finds %s out of range', (cell) => {
    expect(numberOf(cell)).toBe('out of range');
  });

  it.each([
    ['inf', Infinity],
    ['Infinity', Infinity],
    ['-inf', -Infinity],
    [Infinity, Infinity],
    [-Infinity, -Infinity],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['1e-400', 0],
  ])('reads %s', (cell, value) => {
    expect(numberOf(cell)).toBe(value);
  });

  it.each(['', 'x', '1,5', null, true])('finds %s malformed', (cell) => {
    expect(numberOf(cell)).toBe('malformed');
  });
});

describe('stepOf', () => {
  it.each([
    ['9223372036854775807', 2n ** 63n - 1n],
    ['-9223372036854775808', -(2n ** 63n)],
    [`+${'0'.repeat(40)}7`, 7n],
    ['2.0', 2n],
    [-0, 0n],
  ])('reads %s', (cell, step) => {
    expect(stepOf(cell)).toBe(step);
  });

  it.each(['9223372036854775808', '-9223372036854775809', '9'.repeat(100_000), 2n ** 64n - 1n, 2 ** 63, '1e19', '1e400', tooLarge])(
    'finds %s out of range',
    (cell) => {
      expect(stepOf(cell)).toBe('out of range');
    },
  );

  it.each(['1.5', 0.5, 'x', NaN, Infinity, 'inf', null])('finds %s malformed', (cell) => {
    expect(stepOf(cell)).toBe('malformed');
  });
});

describe('timeOf', () => {
  it('tells a time that is out of range from one that is no time', () => {
    expect(timeOf('1500', 1000)).toBe(1.5);
    expect(timeOf('2026-11-27T00:00:01', 1000)).toBe(Date.UTC(2026, 10, 27) / 1000 + 1);
    expect(timeOf('1e400', 1)).toBe('out of range');
    expect(timeOf('yesterday', 1)).toBe('malformed');
  });
});
