import { describe, expect, it } from 'vitest';
import type { RunJson } from '../api/types.ts';
import { grownBetween, marksOf, nextMarks } from './run-marks.ts';

const marks = (...runs: readonly (readonly [run: string, events: number | null, lastTime: number | null])[]) =>
  marksOf(runs.map(([run, events, lastTime]) => ({ run, events, last_time: lastTime, status: 'unknown' }) as RunJson));

describe('run marks', () => {
  it('detect which runs grew, and where', () => {
    const before = marks(['still', 1, 10], ['on', 1, 10], ['back', 5, 10], ['no clock', 1, null]);
    const after = marks(['still', 1, 10], ['on', 2, 11], ['back', 6, 10], ['no clock', 2, null], ['new', 1, 1]);
    expect([...grownBetween(before, after)]).toEqual([
      ['on', 'end'],
      ['back', 'anywhere'],
      ['no clock', 'anywhere'],
      ['new', 'anywhere'],
    ]);
    expect(grownBetween(before, before).size).toBe(0);
    expect(grownBetween(undefined, before).size).toBe(4);
  });

  it('treat a run as grown if its mark is unknown', () => {
    expect([...grownBetween(marks(['a', null, 1]), marks(['a', null, 1]))]).toEqual([['a', 'end']]);
  });

  it('are unchanged while nothing grows', () => {
    const before = marks(['a', 1, 10]);
    expect(nextMarks(before, marks(['a', 1, 10]))).toBe(before);
    expect(nextMarks(before, marks(['a', 2, 10]))).not.toBe(before);
    expect(nextMarks(before, marks())).not.toBe(before);
    const part = marks(['a', null, 1]);
    expect(nextMarks(part, marks(['a', null, 1]))).not.toBe(part);
  });
});
