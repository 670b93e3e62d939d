import { decodeBody, lowerBound } from '#chunks';
import type { PointColumns } from '#model';
import { readEffectiveBodies, type ScalarSeries, type Snapshot } from '#store';
import { joinPoints } from './point-range.ts';
import { readMinmax } from './read-minmax.ts';
import type { ScalarRequest, SeriesSelection } from './scalar-request.ts';
import { samplePlaces } from './spike-sampler.ts';
import { wideSteps } from './steps.ts';
import { noTail, pickPoints, type SeriesTail } from './tail-points.ts';

/** How much of a long series to read. */
export interface LongSample extends SeriesSelection {
  /** Number of requested points, fewer than the series has. */
  readonly points: number;
  /** Maximum chunks to decode. */
  readonly chunks: number;
}

/** Number of chunks read in one query. */
const chunksAtOnce = 64;

/**
 * Samples a series that is too long to read in full. Its rollups show where the smallest and
 * largest values in equal step ranges are, and only the chunks with these values are decoded. The
 * rest of the sample comes from the same chunks.
 */
export async function sampleLong(
  snapshot: Snapshot,
  request: LongSample,
  series: ScalarSeries,
  tails: ReadonlyMap<string, SeriesTail>,
): Promise<PointColumns> {
  const { effective } = tails.get(series.seriesId) ?? noTail;
  const buckets = Math.floor((Math.min(request.chunks, request.points) - 1) / 2); // two chunks, and two points, for each; plus the last one
  const minmax: ScalarRequest = {
    ...request,
    points: Math.max(1, buckets),
    sampling: 'minmax',
    align: 'tag',
    seed: '',
    superseded: false,
    pageSize: 0,
    pageToken: null,
  };
  const [response] = await readMinmax(snapshot, minmax, [series], tails);
  const spikes = buckets > 0 && response && 'buckets' in response.content ? spikesOf(response.content.buckets) : [];
  const last = effective.steps.at(-1) ?? series.lastStep!;
  const wanted = [...new Set([...spikes, last])].sort((a, b) => (a < b ? -1 : 1));
  // A bucket has more than two chunks, so at most four of these steps are in one chunk.
  const parts = await readAround(snapshot, series, wanted, Math.ceil((4 * request.points) / wanted.length));
  const known = joinPoints([...parts, effective]);
  const places = spikes.map((step) => lowerBound(known.steps, step)).filter((place) => place < known.steps.length - 1);
  return known.steps.length <= request.points
    ? known
    : pickPoints(known, samplePlaces(known.steps.length, request.points, new Set(places)));
}

function spikesOf({ minStep, maxStep }: { minStep: Parameters<typeof wideSteps>[0]; maxStep: Parameters<typeof wideSteps>[0] }): bigint[] {
  return [...wideSteps(minStep), ...wideSteps(maxStep)];
}

/**
 * The points at these rising steps, and `others` evenly spaced points of each chunk that contains
 * one of them.
 */
async function readAround(
  snapshot: Snapshot,
  { seriesId }: ScalarSeries,
  wanted: readonly bigint[],
  others: number,
): Promise<PointColumns[]> {
  const parts: PointColumns[] = [];
  let next = 0;
  while (next < wanted.length) {
    const requests = wanted.slice(next, next + chunksAtOnce).map((step) => ({ seriesId, from: step, to: step }));
    const end = next + requests.length;
    for (const { body } of await readEffectiveBodies(snapshot, requests)) {
      const { points } = decodeBody(body);
      const count = points.steps.length;
      // The same chunk is returned for each step in it; effective chunks do not overlap, and they
      // arrive in step order.
      if (next >= wanted.length || points.steps[count - 1]! < wanted[next]!) continue;
      const places = new Set<number>();
      for (; next < wanted.length && wanted[next]! <= points.steps[count - 1]!; next++) {
        if (wanted[next]! >= points.steps[0]!) places.add(lowerBound(points.steps, wanted[next]!));
      }
      for (let i = 0; i < others; i++) places.add(Math.floor((i * count) / others));
      parts.push(
        pickPoints(
          points,
          [...places].sort((a, b) => a - b),
        ),
      );
    }
    next = Math.max(next, end); // the rest are in the tail
  }
  return parts;
}
