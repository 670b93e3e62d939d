import type { ExperimentJson } from '../api/types.ts';

/** The metric of the newest run. */
export type Metric = NonNullable<NonNullable<ExperimentJson['newest_run']>['metric']>;

/** Pixels of a sparkline. */
export const sparkline = { width: 88, height: 20 } as const;
const { width, height } = sparkline;
const edge = 2;

/** The line, with breaks where values are not finite. */
export function sparklinePath({ steps, values }: Pick<Metric, 'steps' | 'values'>): string {
  const xs = steps.map(Number);
  const ys = values.map(Number);
  const finite = ys.filter(Number.isFinite);
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const [first, last] = [xs[0] ?? 0, xs.at(-1) ?? 0];
  let isDown = false;
  const parts = ys.map((value, i) => {
    if (!Number.isFinite(value)) {
      isDown = false;
      return '';
    }
    const x = last > first ? edge + ((xs[i]! - first) / (last - first)) * (width - 2 * edge) : width / 2;
    const y = high > low ? height - edge - ((value - low) / (high - low)) * (height - 2 * edge) : height / 2;
    const isAlone = !isDown && !Number.isFinite(ys[i + 1] ?? Number.NaN);
    const part = `${isDown ? 'L' : 'M'}${round(x)} ${round(y)}${isAlone ? 'h0.01' : ''}`;
    isDown = true;
    return part;
  });
  return parts.join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
