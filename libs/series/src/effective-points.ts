import { type ChunkBody, decodeBody, ordinalAt, type Ordinals } from '#chunks';
import type { PointColumns } from '#model';
import { readEffectiveBodies, type ScalarSeries, type Snapshot } from '#store';
import { clip } from './point-range.ts';
import { lowerBound } from './steps.ts';
import type { Place, SeriesTail } from './tail-points.ts';

/** Some effective points of a series, steps rising, and where each of them came from. */
export interface EffectivePart {
  readonly points: PointColumns;
  readonly place: (index: number) => Place;
}

/** Points that are decoded at a time. */
const batchPoints = 262_144;

/**
 * Walks all effective points of the series in a range: `visit` gets them a chunk at a time, each series in rising steps, with the memory
 * of one batch. Small series share a query.
 */
export async function walkEffective(
  client: Snapshot['client'],
  tenantId: string,
  range: { readonly from: bigint; readonly to: bigint },
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
  visit: (series: number, part: EffectivePart) => void,
): Promise<void> {
  for (let at = 0; at < list.length;) {
    let points = 0;
    const group: number[] = [];
    for (; at < list.length && (group.length === 0 || points + list[at]!.points <= batchPoints); at++) {
      points += list[at]!.points;
      group.push(at);
    }
    const bodies = group.filter((index) => list[index]!.chunks > 0);
    // Only a series that is alone can have more points than a batch.
    const limit = group.length === 1 ? batchPoints : undefined;
    for (let from: bigint | null = range.from; from !== null;) {
      const requests = bodies.map((index) => ({ seriesId: list[index]!.seriesId, from: from!, to: range.to, limit }));
      let last: bigint | null = null;
      for (const { request, fileId, body } of await readEffectiveBodies(client, tenantId, requests)) {
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

function tailPart(tail: SeriesTail | undefined, range: { readonly from: bigint; readonly to: bigint }): EffectivePart | null {
  if (!tail) return null;
  const points = clip(tail.effective, range.from, range.to);
  if (points.steps.length === 0) return null;
  const skipped = lowerBound(tail.effective.steps, points.steps[0]!);
  return { points, place: (index) => tail.effectivePlaces[skipped + index]! };
}

function clipBody({ points, ordinals }: ChunkBody, fileId: string, from: bigint, to: bigint): EffectivePart {
  const clipped = clip(points, from, to);
  const skipped = clipped === points ? 0 : lowerBound(points.steps, from);
  return { points: clipped, place: placesFrom(fileId, ordinals, skipped) };
}

function placesFrom(fileId: string, ordinals: Ordinals, skipped: number): EffectivePart['place'] {
  return (index) => ({ fileId, ordinal: ordinalAt(ordinals, skipped + index) });
}
