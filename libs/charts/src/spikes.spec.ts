import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChartLine, chartLine } from './chart-lines.ts';
import { makeScale, scaleKinds } from './scale.ts';
import { readSeries } from './scalar-series.ts';
import { traceSpikes } from './spikes.ts';

/** Ten buckets of a flat line; some values are replaced. */
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

function movesOf(line: ChartLine, at = place): string[] {
  const moves: string[] = [];
  const sink = {
    moveTo: (x: number, y: number) => void moves.push(`${x},${y}`),
    lineTo: (x: number, y: number) => void (moves[moves.length - 1] += ` to ${x},${y}`),
  };
  traceSpikes(sink, line, at);
  return moves;
}

/** Finds every bucket that exceeds its six neighbors by six pixels or more, by brute force. */
function spikesOf({ x, series, y }: ChartLine, at: typeof place): string[] {
  const found: string[] = [];
  for (const [column, sign] of [
    [series.high, -1],
    [series.low, 1],
  ] as const)
    column.forEach((value, i) => {
      const around = [...column.slice(Math.max(0, i - 3), i), ...column.slice(i + 1, i + 4)].map(at.y).filter(Number.isFinite);
      const [start, end] = [at.y(y[i]!), at.y(value)];
      if (!Number.isFinite(end) || (Number.isFinite(start) && (end - start) * sign < 6)) return;
      const beside = sign === 1 ? Math.max(-Infinity, ...around) : Math.min(Infinity, ...around);
      if ((end - beside) * sign >= 6) found.push(`${at.x(x[i]!)},${Number.isFinite(start) ? start : beside} to ${at.x(x[i]!)},${end}`);
    });
  return found;
}

describe('spikes', () => {
  it.each(scaleKinds)('are all that stand out, on a %s axis', (kind) => {
    const scale = makeScale(kind, kind === 'log' ? 0.5 : -50, 100, 5);
    const at = { x: (value: number) => value, y: (value: number) => (1 - scale.position(value)) * 200 };
    const value = fc.constantFrom(1, 1.1, 40, 90, 1000, 0, -0.5, -40, Number.NaN, Infinity, -Infinity);
    fc.assert(
      fc.property(fc.array(value, { minLength: 10, maxLength: 10 }), fc.array(value, { minLength: 10, maxLength: 10 }), (low, high) => {
        const line = flat({ min: Object.fromEntries(low.entries()), max: Object.fromEntries(high.entries()) });
        expect(movesOf(line, at).toSorted()).toEqual(spikesOf(line, at).toSorted());
      }),
      { numRuns: 2_000 },
    );
  });

  it('are drawn from the line to the outlier, on both sides', () => {
    expect(traced({ max: { 3: 80 } })).toEqual(['39,99 to 39,20']);
    expect(traced({ min: { 9: -50 } })).toEqual(['99,99 to 99,150']);
  });

  it('are not drawn where all neighboring buckets have the same extremes', () => {
    expect(traced({})).toEqual([]);
    expect(traced({ max: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [i, 80])) })).toEqual([]);
  });

  it('of a group stand out by more than the height of its band', () => {
    const group = (odd: number) => {
      const one = flat({ max: { 3: odd } });
      return { ...one, members: 5, band: { low: one.y.map((y) => y - 10), high: one.y.map((y) => y + 10) } };
    };
    expect(movesOf(group(15))).toEqual([]);
    expect(movesOf(group(80))).toEqual(['39,99 to 39,20']);
  });

  it('are not drawn for infinite values', () => {
    expect(traced({ max: { 3: Infinity }, min: { 3: -Infinity } })).toEqual([]);
  });
});
