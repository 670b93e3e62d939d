import type { ChartLine, ScalarSeries, View, XAxis } from '#charts';
import { firstAfter, firstAtOrAfter } from '#charts';

/** Entries of a series that a card asks for: about one for each pixel that its line is wide, and fewer when there are many lines. */
export function entriesWanted(size: 'card' | 'large', lines: number): number {
  const most = size === 'large' ? 1200 : 400;
  if (lines <= 30) return most;
  return Math.max(100, Math.floor(most * Math.min(1, 60 / lines)));
}

/** Below this many runs all are asked for, whatever is shown: ticking one on or off then costs nothing. */
const fewRuns = 60;

/** The runs to ask for; null: all. */
export function runsWanted(shown: ReadonlySet<string>, all: number): readonly string[] | null {
  return all <= fewRuns || shown.size * 2 > all ? null : [...shown].sort();
}

/** How much beyond what is seen is asked for on each side, so that lines reach the edges and their smoothing has run in. */
const margin = 0.25;

/** The steps of which finer data are wanted: where a zoomed part of the axis lies; null: none are. */
export function stepsWanted(
  range: View['range'],
  axis: XAxis,
  whole: readonly ScalarSeries[],
  origins: (series: ScalarSeries) => number,
): { from: number; to: number } | null {
  if (!range || whole.every(({ raw }) => raw)) return null;
  if (axis === 'step') {
    const air = (range.to - range.from) * margin;
    return { from: Math.floor(range.from - air), to: Math.ceil(range.to + air) };
  }
  let from = Infinity;
  let to = -Infinity;
  for (const series of whole) {
    const start = axis === 'relative' ? origins(series) : 0;
    const first = Math.max(0, firstAtOrAfter(series.wallTime, range.from + start) - 2);
    const last = Math.min(series.step.length - 1, firstAfter(series.wallTime, range.to + start) + 1);
    if (last < first) continue;
    from = Math.min(from, series.firstStep[first]!);
    to = Math.max(to, series.step[last]!);
  }
  return from < to ? { from, to } : null;
}

/** What a card says of its data: "812 points", or how many entries stand for how many points. */
export function dataNote(lines: readonly ChartLine[], count: (value: number) => string): string {
  let points = 0;
  let entries = 0;
  for (const { series } of lines) {
    points += series.sourcePoints;
    entries += series.value.length;
  }
  if (points === 0) return '';
  const means = lines.filter(({ members }) => members > 1).length;
  if (means > 0) return `${means === 1 ? 'mean' : `${means} means`} of ${count(points)} points`;
  return entries === points ? `all ${count(points)} points` : `${count(entries)} of ${count(points)}, exact min and max`;
}
