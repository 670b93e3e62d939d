import { describe, expect, it } from 'vitest';
import { chartLine, chartScales, makeScale, meanLine, plainView, type View } from '#charts';
import type { Plot } from './plot.ts';
import { pressKey, rangeAfter, readSpot, spotAfter } from './press-key.ts';
import type { Reading } from './readout.ts';
import { rawLine } from './testing/raw-line.ts';

const flat = (run: string, value: number, points: number, every?: number) =>
  rawLine(
    run,
    Array.from({ length: points }, () => value),
    every,
  );

const lines = [flat('low', 1, 41), flat('high', 9, 41), flat('also high', 9, 41), flat('coarse', 5, 5, 100), rawLine('odd', [1, 'NaN', 1])];
const size = { width: 400, height: 100 };
const scalesOf = (range: View['range'] = null) => chartScales(lines, { ...plainView, range })!;
const press = (key: string, run: string, x: number, range?: View['range']) => {
  const found = spotAfter(key, { run, x }, lines, scalesOf(range), size)!;
  return [found.run, found.x];
};

describe('a key on a chart', () => {
  it('moves along the selected line, to raw points and no further', () => {
    expect(press('ArrowRight', 'low', 20)).toEqual(['low', 30]);
    expect(press('ArrowLeft', 'low', 20)).toEqual(['low', 10]);
    expect(press('ArrowRight', 'coarse', 100)).toEqual(['coarse', 200]);
    expect(press('ArrowRight', 'low', 400)).toEqual(['low', 400]);
    expect(press('ArrowRight', 'odd', 0)).toEqual(['odd', 10]);
    expect([press('Home', 'low', 20), press('End', 'low', 20)]).toEqual([
      ['low', 0],
      ['low', 400],
    ]);
  });

  it('moves by a tenth of the axis, and at least to the next point', () => {
    expect(press('PageUp', 'low', 20)).toEqual(['low', 60]);
    expect(press('PageDown', 'low', 200)).toEqual(['low', 160]);
    expect(press('PageUp', 'coarse', 100)).toEqual(['coarse', 200]);
    expect(press('PageDown', 'low', 10)).toEqual(['low', 0]);
  });

  it('moves to the lines above and below, also to overlapping ones', () => {
    expect(press('ArrowUp', 'low', 100)).toEqual(['coarse', 100]);
    expect(press('ArrowUp', 'coarse', 100)).toEqual(['also high', 100]);
    expect(press('ArrowUp', 'also high', 100)).toEqual(['high', 100]);
    expect(press('ArrowUp', 'high', 100)).toEqual(['high', 100]);
    expect(press('ArrowDown', 'high', 100)).toEqual(['also high', 100]);
    expect(press('ArrowDown', 'low', 10)).toEqual(['odd', 10]);
  });

  it('moves to nothing outside the view', () => {
    const range = { from: 100, to: 200 };
    expect(press('ArrowLeft', 'low', 100, range)).toEqual(['low', 100]);
    expect(press('ArrowRight', 'low', 20, range)).toEqual(['low', 110]);
    expect(press('End', 'low', 150, range)).toEqual(['low', 200]);
    expect(press('PageUp', 'low', 100, range)).toEqual(['low', 110]);
    const between = { from: 210, to: 290 }; // no point of the coarse line is visible, although it passes through
    expect(press('ArrowUp', 'low', 250, between)).toEqual(['also high', 250]);
    expect(press('ArrowDown', 'also high', 250, between)).toEqual(['low', 250]);
  });

  it('starts at an end of a line if nothing was selected, or the selection is gone', () => {
    const scales = scalesOf();
    expect(spotAfter('ArrowRight', null, lines, scales, size)).toEqual({ run: 'low', x: 0 });
    expect(spotAfter('ArrowLeft', null, lines, scales, size)).toEqual({ run: 'low', x: 400 });
    expect(press('ArrowRight', 'gone', 100)).toEqual(['low', 0]);
    expect(spotAfter('ArrowRight', null, [rawLine('none', [])], scales, size)).toBeNull();
  });

  it('moves on if several points have the same position', () => {
    const { series } = flat('same', 1, 4);
    const wall = chartLine({ ...series, wallTime: Float64Array.of(1, 2, 2, 3) }, { xAxis: 'wall', smoothing: 0 });
    const scales = chartScales([wall], { ...plainView, xAxis: 'wall' })!;
    const go = (key: string, x: number) => spotAfter(key, { run: 'same', x }, [wall], scales, size)!.x;
    expect([go('ArrowRight', 1), go('ArrowRight', 2), go('ArrowLeft', 3), go('ArrowLeft', 2)]).toEqual([2, 3, 2, 1]);
  });
});

describe('after a change of the axis', () => {
  const { series } = flat('slow', 1, 5);
  const timed = { ...series, wallTime: Float64Array.of(50, 51, 52, 53, 54) };
  const alone = (xAxis: 'step' | 'relative') => chartLine(timed, { xAxis, smoothing: 0 });

  it.each([
    ['a line', alone],
    ['a mean', (xAxis: 'step' | 'relative') => meanLine('both', [alone(xAxis), alone(xAxis)], '')],
  ] as const)('%s continues from the same step', (_, lineAlong) => {
    const [before, now] = [lineAlong('step'), lineAlong('relative')];
    const read: Reading[][] = [];
    const plot = {
      content: { lines: [now], scales: chartScales([now], { ...plainView, xAxis: 'relative' }), xAxis: 'relative' },
      size,
      point: (at: () => Reading[]) => void read.push(at()),
    };
    const last: Reading = { line: before, index: 2, left: 0, top: 0, distance: 0 };
    pressKey({ key: 'ArrowRight', shiftKey: false }, plot as unknown as Plot, { last, crosshair: null, whole: () => null });
    expect(read[0]![0]!.index).toBe(3);
  });
});

describe('a keyboard reading', () => {
  it('lists its own line first, also among overlapping lines and for values that are not finite', () => {
    expect(readSpot(lines, scalesOf(), { run: 'also high', x: 100 }, size).map(({ line: { run } }) => run)).toEqual([
      'also high',
      'high',
      'coarse',
      'low',
    ]);
    expect(readSpot(lines, scalesOf(), { run: 'odd', x: 10 }, size)[0]).toMatchObject({ index: 1, left: 10, top: Number.NaN });
  });

  it('stays in view', () => {
    expect(readSpot(lines, scalesOf({ from: 100, to: 200 }), { run: 'low', x: 390 }, size)[0]).toMatchObject({ index: 20, left: 400 });
    expect(readSpot(lines, scalesOf({ from: 100, to: 200 }), { run: 'odd', x: 10 }, size)).toEqual([]);
  });
});

describe('a key that zooms or pans', () => {
  const whole = { min: 0, max: 800 };
  const part = makeScale('linear', 200, 600);

  it('halves the range around the crosshair, or around the middle', () => {
    expect(rangeAfter('+', part, whole, 300)).toEqual({ min: 250, max: 450 });
    expect(rangeAfter('=', part, whole, null)).toEqual({ min: 300, max: 500 });
    expect(rangeAfter('+', part, whole, 700)).toEqual({ min: 300, max: 500 });
  });

  it('doubles the range, up to the whole', () => {
    expect(rangeAfter('-', makeScale('linear', 300, 500), whole, 400)).toEqual({ min: 200, max: 600 });
    expect(rangeAfter('-', part, whole, 200)).toEqual({ min: 200, max: 800 });
    expect(rangeAfter('-', part, whole, 400)).toBe('all');
    expect(rangeAfter('-', makeScale('linear', 0, 800), whole, null)).toBe('all');
  });

  it('pans by a quarter, to the ends and no further', () => {
    expect(rangeAfter('ArrowRight', part, whole, null)).toEqual({ min: 300, max: 700 });
    expect(rangeAfter('ArrowLeft', makeScale('linear', 50, 450), whole, null)).toEqual({ min: 0, max: 400 });
    expect(rangeAfter('ArrowRight', makeScale('linear', 400, 800), whole, null)).toBeNull();
    expect(rangeAfter('ArrowUp', part, whole, null)).toBeNull();
  });

  it('pans by at least one step on a step axis', () => {
    const one = makeScale('linear', 100, 101);
    expect(rangeAfter('ArrowRight', one, whole, null, 1)).toEqual({ min: 101, max: 102 });
    expect(rangeAfter('ArrowLeft', one, { min: 100, max: 800 }, null, 1)).toBeNull();
    expect(rangeAfter('ArrowRight', one, whole, null)).toEqual({ min: 100.25, max: 101.25 });
  });

  it('zooms a logarithmic axis by equal factors', () => {
    const found = rangeAfter('+', makeScale('log', 1, 10_000), { min: 1, max: 10_000 }, 100);
    expect(found).toEqual({ min: 10, max: 1000 });
  });
});
