import { type ChartLine, chartLine, firstAtOrAfter, type LineOptions } from './chart-lines.ts';
import { firstAfter } from './extent.ts';
import type { ScalarSeries } from './scalar-series.ts';
import type { View } from './view.ts';
import type { XAxis } from './x-axis.ts';

/** Steps, both inclusive; `to` null: to the end. */
export interface StepRange {
  readonly from: number;
  readonly to: number | null;
}

/** How much beyond what is seen is asked for on each side, so that lines reach the edges and their smoothing has run in. */
const margin = 0.25;
/** Steps that follow from the data are rounded outwards to a grid this fine, as a share of them: the same is then asked for again while a run grows. */
const grid = 1 / 16;

/** The steps to ask for where a part of the steps is seen. */
export function stepsAround(range: NonNullable<View['range']>): { readonly from: number; readonly to: number } {
  const { from, to } = widened(range);
  return { from: exactly(Math.floor(from)), to: exactly(Math.ceil(to)) };
}

function widened({ from, to }: NonNullable<View['range']>): NonNullable<View['range']> {
  const air = (to - from) * margin;
  return { from: from - air, to: to + air };
}

/** The steps of which finer data are wanted: where a zoomed part of the axis lies; null: none are. `whole`: the series in full, as coarse as they are. */
export function stepsWanted(range: View['range'], axis: XAxis, whole: readonly ScalarSeries[]): StepRange | null {
  if (!range || whole.every(({ raw }) => raw)) return null;
  if (axis === 'step') return stepsAround(range);
  let from = Infinity;
  let to = -Infinity;
  let reachesEnd = false;
  const wide = widened(range);
  for (const series of whole) {
    if (series.step.length === 0) continue;
    const start = axis === 'relative' ? series.wallTime[0]! : 0;
    const end = series.step.length - 1;
    const first = Math.max(0, firstAtOrAfter(series.wallTime, wide.from + start) - 2);
    const last = Math.min(end, firstAfter(series.wallTime, wide.to + start) + 1);
    if (last < first) continue;
    from = Math.min(from, series.firstStep[first]!);
    to = Math.max(to, series.step[last]!);
    reachesEnd ||= last === end;
  }
  if (!(from < to)) return null;
  const unit = Math.max(1, 2 ** Math.floor(Math.log2((to - from) * grid)));
  return { from: exactly(Math.floor(from / unit) * unit), to: reachesEnd ? null : exactly(Math.ceil(to / unit) * unit) };
}

/** Whether all of `inner` is in `outer`. */
export function holdsSteps(outer: StepRange, inner: StepRange): boolean {
  return outer.from <= inner.from && (outer.to === null || (inner.to !== null && outer.to >= inner.to));
}

/** A series as a line, by the finer data of a `part` of it where there are any. A series that is raw already needs no part. */
export function zoomedLine(whole: ScalarSeries, part: ScalarSeries | undefined, options: LineOptions): ChartLine {
  return part && !whole.raw && part.step.length > 0 ? chartLine(part, options, whole) : chartLine(whole, options);
}

/** Steps that an address may have are not all that a number has. */
function exactly(step: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, step));
}
