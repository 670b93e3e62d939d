import { describe, expect, it } from 'vitest';
import { readSeries, type ScalarSeries } from '#charts';
import { appendTail } from './append.ts';

const raw = (steps: readonly number[], values: readonly (number | string)[] = steps, walls = steps): ScalarSeries =>
  readSeries({
    run: 'r',
    tag: 't',
    sampling: 'raw',
    source_points: steps.length,
    columns: { step: steps, wall_time: walls, value: values },
  });
const buckets = readSeries({
  run: 'r',
  tag: 't',
  sampling: 'minmax',
  source_points: 20,
  columns: {
    step: [0, 10],
    last_step: [9, 19],
    count: [10, 10],
    first: [0, 10],
    last: [9, 19],
    min: [0, 10],
    max: [9, 19],
    wall_time: [0, 10],
  },
});

describe('a tail of a series', () => {
  it('is appended', () => {
    const grown = appendTail(raw([1, 2]), raw([2, 3, 4]))!;
    expect([...grown.step]).toEqual([1, 2, 3, 4]);
    expect([...grown.wallTime]).toEqual([1, 2, 3, 4]);
    expect(grown.raw).toBe(true);
    expect(grown.sourcePoints).toBe(4);
  });

  it('follows buckets as points', () => {
    const grown = appendTail(buckets, raw([19, 20, 21]))!;
    expect([...grown.step]).toEqual([9, 19, 20, 21]);
    expect([...grown.firstStep]).toEqual([0, 10, 20, 21]);
    expect([...grown.count]).toEqual([10, 10, 1, 1]);
    expect(grown.raw).toBe(false);
    expect(grown.sourcePoints).toBe(22);
  });

  it('may start earlier than needed', () => {
    expect([...appendTail(raw([1, 2]), raw([1, 2, 3]))!.step]).toEqual([1, 2, 3]);
  });

  it('may be empty', () => {
    const known = raw([1, 2], ['NaN', 'NaN']);
    expect(appendTail(known, raw([2], ['NaN']))).toBe(known);
  });

  it('is not appended when the past has changed', () => {
    expect(appendTail(raw([1, 2]), raw([2, 3], [7, 3]))).toBeNull();
    expect(appendTail(raw([1, 2]), raw([3, 4]))).toBeNull();
    expect(appendTail(raw([1, 2]), raw([2, 3], [2, 3], [9, 10]))).toBeNull();
    expect(appendTail(raw([1, 2]), raw([]))).toBeNull();
    expect(appendTail(raw([1, 2]), buckets)).toBeNull();
  });
});
