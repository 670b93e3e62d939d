import { type ChunkBody, decodeBody, lowerBound, ordinalAt } from '#chunks';
import { type FileId, type PointColumns, Problem } from '#model';
import { readEffectiveBodies, type ScalarSeries, type Snapshot } from '#store';
import { clip } from './point-range.ts';
import type { Place, SeriesTail } from './tail-points.ts';

/** Some effective points of a series, with rising steps, and the source of each. */
export interface EffectivePart {
  readonly points: PointColumns;
  readonly fileIdAt: (index: number) => FileId;
  readonly ordinalAt: (index: number) => number;
}

/**
 * Maximum number of points that one request may walk: about 2 s of decoding. Beyond this, only
 * samplings over rollups or smaller ranges take bounded time.
 */
export const maxWalkedPoints = 20_000_000;
/** Number of points that are decoded in one batch. */
const batchPoints = 262_144;

/**
 * Walks all effective points of the series in a range. Calls `visit` with one chunk at a time, each
 * series in step order, using the memory of one batch. Small series share a query. Once `signal` is
 * aborted, no further batch is read.
 */
export async function walkEffective(
  snapshot: Snapshot,
  range: { readonly from: bigint; readonly to: bigint },
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
  visit: (series: number, part: EffectivePart) => void,
  signal?: AbortSignal,
): Promise<void> {
  const walked = list.reduce((sum, series) => sum + series.points, 0);
  if (walked > maxWalkedPoints) throw tooManyToWalk(walked);
  for (let at = 0; at < list.length;) {
    let points = 0;
    const group: number[] = [];
    for (; at < list.length && (group.length === 0 || points + list[at]!.points <= batchPoints); at++) {
      points += list[at]!.points;
      group.push(at);
    }
    const bodies = group.filter((index) => list[index]!.chunks > 0);
    // Only a series that is alone in its group can have more points than a batch.
    const limit = group.length === 1 ? batchPoints : undefined;
    for (let from: bigint | null = range.from; from !== null;) {
      signal?.throwIfAborted();
      const requests = bodies.map((index) => ({ seriesId: list[index]!.seriesId, from: from!, to: range.to, limit }));
      let last: bigint | null = null;
      for (const { request, fileId, body } of await readEffectiveBodies(snapshot, requests)) {
        const chunk = decodeBody(body);
        last = chunk.points.steps[chunk.points.steps.length - 1]!;
        const part = clipBody(chunk, fileId, from, range.to);
        if (part.points.steps.length > 0) visit(bodies[request]!, part);
      }
      from = limit === undefined || last === null || last >= range.to ? null : last + 1n;
    }
    for (const index of group) {
      const tail = tailPart(tails.get(list[index]!.seriesId), range);
      if (tail) visit(index, tail);
    }
  }
}

function tooManyToWalk(points: number): Problem {
  return new Problem(
    'answer-too-large',
    `This sampling reads every point, and these series have ${points} points; one request can read ${maxWalkedPoints}. Request fewer runs or tags, a smaller range of steps, or minmax.`,
    { extra: { points, max_points: maxWalkedPoints } },
  );
}

function tailPart(tail: SeriesTail | undefined, range: { readonly from: bigint; readonly to: bigint }): EffectivePart | null {
  if (!tail) return null;
  const points = clip(tail.effective, range.from, range.to);
  if (points.steps.length === 0) return null;
  const skipped = lowerBound(tail.effective.steps, points.steps[0]!);
  const placeAt = (index: number): Place => tail.placeAt(skipped + index);
  return { points, fileIdAt: (index) => placeAt(index).fileId, ordinalAt: (index) => placeAt(index).ordinal };
}

function clipBody({ points, ordinals }: ChunkBody, fileId: FileId, from: bigint, to: bigint): EffectivePart {
  const clipped = clip(points, from, to);
  const skipped = clipped === points ? 0 : lowerBound(points.steps, from);
  return { points: clipped, fileIdAt: () => fileId, ordinalAt: (index) => ordinalAt(ordinals, skipped + index) };
}
