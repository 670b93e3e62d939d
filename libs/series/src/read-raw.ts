import { decodeBody, maxChunkPoints, slicePoints } from '#chunks';
import type { PointColumns } from '#model';
import { readEffectiveBodies, type ScalarSeries, type Snapshot } from '#store';
import { exactPoints } from './exact-points.ts';
import { invalid, readPageToken, writePageToken } from './page-token.ts';
import { clip, joinPoints } from './point-range.ts';
import type { SeriesResult } from './scalar-result.ts';
import { type ScalarRequest, stepRange } from './scalar-request.ts';
import { maxStep } from './steps.ts';
import { noTail, type SeriesTail } from './tail-points.ts';

/** A page of raw points, and where the next page starts. */
export interface RawPage {
  readonly series: SeriesResult[];
  readonly nextPageToken: string | null;
}

/**
 * Reads `raw` without superseded points: series after series, each with rising steps, `pageSize`
 * points per page.
 */
export async function readRaw(
  snapshot: Snapshot,
  request: ScalarRequest,
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
): Promise<RawPage> {
  const range = stepRange(request);
  const position = readPageToken(request);
  let at = position ? list.findIndex((series) => series.seriesId === position.seriesId) : 0;
  if (at < 0) throw invalid();
  let from = range.from;
  if (position && position.afterStep !== null) {
    if (position.afterStep === maxStep) at++;
    else if (position.afterStep >= from) from = position.afterStep + 1n;
  }

  const responses: SeriesResult[] = [];
  let remaining = request.pageSize;
  while (at < list.length && remaining > 0) {
    const group = seriesFor(list, at, remaining, tails);
    const parts = await readGroup(snapshot, group, from, range, remaining);
    const totals = await exactPoints(snapshot, range, group);
    for (const [i, series] of group.entries()) {
      const tail = (tails.get(series.seriesId) ?? noTail).effective;
      const all = joinPoints([...parts[i]!, clip(tail, i === 0 ? from : range.from, range.to)]);
      const sourcePoints = totals[i]! + clip(tail, range.from, range.to).steps.length;
      const points = slicePoints(all, 0, Math.min(remaining, all.steps.length));
      remaining -= points.steps.length;
      responses.push({
        run: series.run,
        tag: series.tag,
        writer: series.writer,
        sampling: 'raw',
        exact: true,
        sourcePoints,
        content: { points },
      });
      const goesOn = points.steps.length < all.steps.length;
      if (goesOn || (remaining === 0 && at + 1 < list.length)) {
        const next = goesOn
          ? { seriesId: series.seriesId, afterStep: points.steps[points.steps.length - 1]!, log: null }
          : { seriesId: list[at + 1]!.seriesId, afterStep: null, log: null };
        return { series: responses, nextPageToken: writePageToken(request, next) };
      }
      at++;
      from = range.from;
    }
  }
  return { series: responses, nextPageToken: null };
}

/**
 * Enough series, starting at `at`, to fill the rest of the page, by their maximum number of points.
 */
function seriesFor(list: readonly ScalarSeries[], at: number, remaining: number, tails: ReadonlyMap<string, SeriesTail>): ScalarSeries[] {
  let points = 0;
  let end = at;
  while (end < list.length && points < remaining) {
    const series = list[end++]!;
    points += series.points + (tails.get(series.seriesId)?.effective.steps.length ?? 0);
  }
  return list.slice(at, end);
}

async function readGroup(
  snapshot: Snapshot,
  group: readonly ScalarSeries[],
  from: bigint,
  range: { readonly from: bigint; readonly to: bigint },
  remaining: number,
): Promise<PointColumns[][]> {
  const parts: PointColumns[][] = group.map(() => []);
  const indices = group.flatMap((series, i) => (series.chunks > 0 ? [i] : []));
  const starts = group.map((_, i) => (i === 0 ? from : range.from));
  const bodies = await readEffectiveBodies(
    snapshot,
    // One more point than fits is read, to see whether the series continues. In a chunk that the
    // range cuts, up to a chunk of points is skipped.
    indices.map((i) => ({ seriesId: group[i]!.seriesId, from: starts[i]!, to: range.to, limit: remaining + 1 + maxChunkPoints })),
  );
  for (const { request, body } of bodies) {
    const i = indices[request]!;
    parts[i]!.push(clip(decodeBody(body).points, starts[i]!, range.to));
  }
  return parts;
}
