import type { SeriesId } from '#model';
import { listScalarSeriesById, readTailsOfSeries, type Snapshot } from '#store';
import { rangesOf } from './find-scalar-series.ts';
import { readMinmax } from './read-minmax.ts';
import { narrowSteps } from './steps.ts';
import { tailsBySeries } from './tail-points.ts';
import type { IntegerColumn } from './json-numbers.ts';

/** A summary of a series in a few numbers, computed from all its points. */
export interface Sparkline {
  /** The last point of each bucket. */
  readonly steps: IntegerColumn;
  readonly values: Float64Array;
  /** NaN if all values are NaN. */
  readonly min: number;
  readonly max: number;
}

/**
 * Reads series from any experiments, each in at most `points` buckets of its own. Series without
 * points are omitted.
 */
export async function readSparklines(
  snapshot: Snapshot,
  seriesIds: readonly SeriesId[],
  points: number,
): Promise<Map<SeriesId, Sparkline>> {
  const list = await listScalarSeriesById(snapshot, seriesIds);
  const tails = tailsBySeries(await readTailsOfSeries(snapshot, rangesOf(list)), new Set(list.map((series) => series.seriesId)));
  // Series with the same tag share buckets: here, no two series do
  const apart = list.map((series) => ({ ...series, tag: series.seriesId }));
  const responses = await readMinmax(snapshot, { from: null, to: null, points, align: 'tag' }, apart, tails);
  return new Map(
    responses.flatMap(({ content }, i): [SeriesId, Sparkline][] => {
      const line = 'buckets' in content ? ofBuckets(content.buckets) : ofPoints(content.points);
      return line.values.length === 0 ? [] : [[list[i]!.seriesId, line]];
    }),
  );
}

type Content = Awaited<ReturnType<typeof readMinmax>>[number]['content'];

function ofBuckets({ lastStep, last, min, max }: Extract<Content, { buckets: unknown }>['buckets']): Sparkline {
  return { steps: lastStep, values: last, min: lowest(min), max: limit(max) };
}

function ofPoints({ steps, values }: Extract<Content, { points: unknown }>['points']): Sparkline {
  return { steps: narrowSteps(steps), values, min: lowest(values), max: limit(values) };
}

/** NaN is skipped. */
function lowest(values: Float64Array): number {
  return values.reduce((a, b) => (b < a || Number.isNaN(a) ? b : a), Number.NaN);
}

function limit(values: Float64Array): number {
  return values.reduce((a, b) => (b > a || Number.isNaN(a) ? b : a), Number.NaN);
}
