import { describe, expect, it } from 'vitest';
import { type ChartLine, chartLine } from './chart-lines.ts';
import { readSeries } from './scalar-series.ts';
import { traceSpikes } from './spikes.ts';

/** Ten buckets of a flat line; the values of some are replaced. */
function flat(changes: { max?: Record<number, number>; min?: Record<number, number> }) {
  const column = (fill: number, some: Record<number, number> = {}) => Array.from({ length: 10 }, (_, i) => some[i] ?? fill);
  const steps = Array.from({ length: 10 }, (_, i) => i * 10);
  const columns = {
    step: steps,
    last_step: steps.map((step) => step + 9),
    count: column(10),
    first: column(1),
    last: column(1),
    min: column(0.9, changes.min),
    max: column(1.1, changes.max),
    wall_time: steps,
  };
  return chartLine(readSeries({ run: 'a', tag: 't', sampling: 'minmax', source_points: 100, columns }), { xAxis: 'step', smoothing: 0 });
}

const place = { x: (value: number) => value, y: (value: number) => 100 - value };

const traced = (...of: Parameters<typeof flat>): string[] => movesOf(flat(...of));

function movesOf(line: ChartLine): string[] {
  const moves: string[] = [];
  const sink = {
    moveTo: (x: number, y: number) => void moves.push(`${x},${y}`),
    lineTo: (x: number, y: number) => void (moves[moves.length - 1] += ` to ${x},${y}`),
  };
  traceSpikes(sink, line, place);
  return moves;
}

describe('spikes', () => {
  it('are drawn from the line to the one value that stands out, on both sides', () => {
    expect(traced({ max: { 3: 80 } })).toEqual(['39,99 to 39,20']);
    expect(traced({ min: { 9: -50 } })).toEqual(['99,99 to 99,150']);
  });

  it('are not what all buckets beside do as well', () => {
    expect(traced({})).toEqual([]);
    expect(traced({ max: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [i, 80])) })).toEqual([]);
  });

  it('of a group stand out by more than its band is high', () => {
    const group = (odd: number) => {
      const one = flat({ max: { 3: odd } });
      return { ...one, members: 5, band: { low: one.y.map((y) => y - 10), high: one.y.map((y) => y + 10) } };
    };
    expect(movesOf(group(15))).toEqual([]);
    expect(movesOf(group(80))).toEqual(['39,99 to 39,20']);
  });

  it('have no place when they are infinite', () => {
    expect(traced({ max: { 3: Infinity }, min: { 3: -Infinity } })).toEqual([]);
  });
});
