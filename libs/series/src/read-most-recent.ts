import { decodeBody, slicePoints } from '#chunks';
import type { PointColumns } from '#model';
import { readEffectiveBodies, type ScalarSeries, type Snapshot } from '#store';
import { clip, joinPoints } from './point-range.ts';
import type { SeriesResult } from './scalar-result.ts';
import { type ScalarRequest, stepRange } from './scalar-request.ts';
import { exactPoints } from './exact-points.ts';
import { noTail, type SeriesTail } from './tail-points.ts';

/**
 * The end of the range can cut chunks; at most this many of their points do not count toward the
 * limit.
 */
const cutPoints = 4096;

/**
 * Reads `tail`: the most recent `points` of each series in the range, that is, those with the
 * largest steps.
 */
export async function readMostRecent(
  snapshot: Snapshot,
  request: Pick<ScalarRequest, 'points' | 'from' | 'to'>,
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
): Promise<SeriesResult[]> {
  const range = stepRange(request);
  const waiting = list.map((series) => clip((tails.get(series.seriesId) ?? noTail).effective, range.from, range.to));
  const parts: PointColumns[][] = list.map(() => []);
  const indices = list.flatMap((series, i) => (series.chunks > 0 && waiting[i]!.steps.length < request.points ? [i] : []));
  const bodies = await readEffectiveBodies(
    snapshot,
    indices.map((i) => ({ seriesId: list[i]!.seriesId, ...range, limit: request.points - waiting[i]!.steps.length + cutPoints })),
    'last',
  );
  for (const { request: index, body } of bodies) parts[indices[index]!]!.push(clip(decodeBody(body).points, range.from, range.to));
  const totals = await exactPoints(snapshot, range, list);
  return list.map((series, i) => {
    const all = joinPoints([...parts[i]!, waiting[i]!]);
    const points = slicePoints(all, Math.max(0, all.steps.length - request.points), all.steps.length);
    const sourcePoints = totals[i]! + waiting[i]!.steps.length;
    return {
      run: series.run,
      tag: series.tag,
      writer: series.writer,
      sampling: 'tail',
      exact: points.steps.length === sourcePoints,
      sourcePoints,
      content: { points },
    };
  });
}
