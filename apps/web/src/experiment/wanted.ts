import { type ChartLine, countText, formatCount, isRoughlySmoothed, marksOf } from '#charts';
import type { ComparingRequest } from '../compare/comparing-loader.ts';

/**
 * How many entries of a series a card requests: about one per pixel of the line's width. It
 * requests fewer if there are many lines, because the number of entries determines how long a
 * thousand lines take to load and redraw. Each entry has its smallest and largest value, so no
 * entry hides a spike.
 */
export function entriesWanted(size: 'card' | 'large', lines: number): number {
  const max = size === 'large' ? 1200 : 400;
  if (lines <= 30) return max;
  return Math.max(60, Math.floor(max * Math.min(1, 60 / lines)));
}

/**
 * With fewer runs than this, all runs are requested, even hidden ones, so that toggling a run costs
 * nothing.
 */
const fewRuns = 60;

/** A chart with up to this many tags uses the data of the tags' own charts. */
const fewTags = 3;

/** The runs to request. Null means all runs. */
export function runsWanted(shown: ReadonlySet<string>, all: number): readonly string[] | null {
  return all <= fewRuns || shown.size * 2 > all ? null : [...shown].sort();
}

/**
 * A chart's first request, which covers all steps of a tag. `runs`: the number of runs; `shown`:
 * the runs in view; `tags`: how many tags the chart draws.
 */
export function wholeRequest(
  tag: string,
  size: 'card' | 'large',
  {
    shown,
    tags = 1,
    runs,
    compared,
    smoothing,
    spacing,
    x = null,
    isFormula = false,
  }: { readonly shown: ReadonlySet<string>; readonly tags?: number; readonly runs: number } & Pick<
    ComparingRequest,
    'compared' | 'smoothing' | 'spacing' | 'x' | 'isFormula'
  >,
): ComparingRequest {
  return {
    tag,
    steps: null,
    runs: runsWanted(shown, runs),
    points: entriesWanted(size, tags > fewTags ? shown.size * tags : shown.size),
    compared,
    smoothing,
    spacing,
    x,
    isFormula,
  };
}

/**
 * A card's note about its data, such as "812 points". It says whether buckets represent the points.
 */
export function dataNote(lines: readonly ChartLine[], count: (value: number) => string): string {
  const note = pointsNote(lines, count);
  const isRaw = lines.every(({ series }) => series.raw);
  const places = lines.reduce((sum, line) => sum + new Set(marksOf(line).map(({ index }) => index)).size, 0);
  if (note === '' || places === 0) return note;
  // The card has no space for more; the tooltip shows the rest
  return `${note.replace(', downsampled', '')}, ${isRaw ? count(places) : 'some'} not finite`;
}

/** The details that a downsampled chart's note omits; undefined if there are none. */
export function dataDetails(lines: readonly ChartLine[]): string | undefined {
  const entries = lines.reduce((sum, { series }) => sum + series.value.length, 0);
  const points = lines.reduce((sum, { series }) => sum + series.sourcePoints, 0);
  if (lines.some(({ series }) => series.approximate))
    return 'The runs have too many points to compute the formula at every point. It uses the last value of each bucket; zoom in for exact points.';
  if (entries === points || lines.some(({ members }) => members > 1)) return undefined;
  return `Drawn from ${formatCount(entries)} of ${countText(points, 'point')}. Each bucket keeps its exact minimum and maximum; zoom in for every point.`;
}

function pointsNote(lines: readonly ChartLine[], count: (value: number) => string): string {
  let points = 0;
  let entries = 0;
  for (const { series } of lines) {
    points += series.sourcePoints;
    entries += series.value.length;
  }
  if (points === 0) return '';
  const means = lines.filter(({ members }) => members > 1).length;
  if (means > 0) return `${means === 1 ? 'mean' : `${means} means`} of ${count(points)} points`;
  if (points === 1) return '1 point';
  if (lines.some(({ series }) => series.approximate)) return `${count(points)} points, computed from buckets`;
  if (entries === points) return `${count(points)} points`;
  const note = `${count(points)} points, downsampled`;
  return lines.some(isRoughlySmoothed) ? `${note}, approximate smoothing` : note;
}
