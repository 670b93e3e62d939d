import { describe, expect, it } from 'vitest';
import { plainView } from '#charts';
import { meets } from '../../runs/conditions.ts';
import { filterOf } from '../table-filter.ts';
import { conditionOf, rangeBetween, rangeOf } from './axis-range.ts';
import { nearestLine } from './draw-parallel.ts';
import { fittingScale, parallelAxis } from './parallel-axis.ts';

describe('the scale of an axis', () => {
  it('is logarithmic if positive values crowd at the low end', () => {
    expect(fittingScale([0.0001, 0.001, 0.01, 0.1])).toBe('log');
    expect(fittingScale([16, 32, 64, 128, 256, 512])).toBe('log');
    expect(fittingScale([0, 0.001, 0.01, 0.1])).toBe('linear');
    expect(fittingScale([0.1, 0.5, 0.9, 1.1])).toBe('linear');
    expect(fittingScale([1, 2, 3, 4])).toBe('linear');
    expect(fittingScale([null, 'adam'])).toBe('linear');
  });

  it('is the chosen one, and says whether a value has no place', () => {
    const cells = [0, 0.001, 0.1];
    expect(parallelAxis(cells, undefined, 'number')).toMatchObject({ kind: 'linear', hasMissing: false });
    expect(parallelAxis(cells, 'log', 'number')).toMatchObject({ kind: 'log', hasMissing: true });
    expect(parallelAxis([...cells, 'adam'], 'log', 'number').kind).toBeNull();
  });
});

describe('a range of an axis', () => {
  const cells = [0.0001, 0.001, 0.01, 0.1];
  const axis = parallelAxis(cells, undefined, 'number');

  it('selects what lies between two places, and is open beyond the outermost value', () => {
    const [from, to] = [0.00005, 0.005].map((value) => axis.placeOf(value)) as [number, number];
    const condition = conditionOf(rangeBetween(axis, cells, to, from, 1 / 250));
    expect(condition).toMatch(/^<= 0\.00\d+$/);
    expect(cells.map((cell) => meets(cell, condition))).toEqual([true, true, false, false]);
    expect(conditionOf(rangeBetween(axis, cells, 0, 1, 1 / 250))).toBe('');
    const inner = conditionOf(rangeBetween(axis, cells, axis.placeOf(0.0005), axis.placeOf(0.05), 1 / 250));
    expect(cells.map((cell) => meets(cell, inner))).toEqual([false, true, true, false]);
  });

  it('selects values of a text', () => {
    const opts = ['adam', 'sgd', 'a "quoted" one', true];
    const values = parallelAxis(opts, undefined, 'number');
    const range = rangeBetween(values, opts, values.placeOf('adam') - 0.01, values.placeOf('sgd') + 0.01, 1 / 250);
    expect(conditionOf(range)).toBe('["adam","sgd"]');
    expect(conditionOf({ kind: 'values', values: [] })).toBe('');
    expect(conditionOf({ kind: 'values', values: [Number.NaN, 1] })).toBe('[1]');
  });

  it.each([
    ['0.1..1', { kind: 'bounds', low: 0.1, high: 1 }],
    ['>= 1e-3', { kind: 'bounds', low: 0.001, high: null }],
    ['<-2', { kind: 'bounds', low: null, high: -2 }],
    ['= 3', { kind: 'bounds', low: 3, high: 3 }],
    ['["adam",true,3]', { kind: 'values', values: ['adam', true, 3] }],
    ['adam', null],
    ['', null],
    [undefined, null],
  ] as const)('%s', (condition, range) => {
    expect(rangeOf(condition)).toEqual(range);
    if (range) expect(rangeOf(conditionOf(range))).toEqual(range);
  });
});

it('asks the service for listed values', () => {
  const filter = (where: string[]) => filterOf({ ...plainView, archived: true, where });
  expect(filter(['h%3Aopt ["adam","a \\"b\\"",true,3]'])).toBe(
    '(hparam("opt") = "adam" OR hparam("opt") = "a \\"b\\"" OR hparam("opt") = true OR hparam("opt") = 3)',
  );
  expect(filter(['m%3Aloss [1,2]'])).toBe('(last("loss") = 1 OR last("loss") = 2)');
});

it('finds the line nearest to a position', () => {
  const lines = { x: [0, 100], y: Float32Array.from([0, 100, 50, 50, 100, 0]), count: 3 };
  const all = [0, 1, 2];
  expect(nearestLine(lines, all, 10, 12, 10)).toBe(0);
  expect(nearestLine(lines, all, 10, 49, 10)).toBe(1);
  expect(nearestLine(lines, [0, 1], 10, 92, 10)).toBe(-1);
  expect(nearestLine({ ...lines, x: [50], y: Float32Array.from([1, 2, 3]) }, all, 50, 2, 10)).toBe(1);
});
