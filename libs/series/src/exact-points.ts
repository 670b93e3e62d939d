import { decodeBody } from '#chunks';
import { readEffectiveBodies, type ScalarSeries, type Snapshot } from '#store';
import { clip } from './point-range.ts';

/**
 * The number of each series' effective points in the range that are in chunks: the counted points,
 * minus the points of cut chunks outside the range.
 */
export async function exactPoints(
  snapshot: Snapshot,
  range: { readonly from: bigint; readonly to: bigint },
  list: readonly ScalarSeries[],
): Promise<number[]> {
  const totals = list.map((series) => series.points);
  const cut = list.flatMap((series, i) => (series.cutChunks > 0 ? [i] : []));
  const bodies = await readEffectiveBodies(
    snapshot,
    cut.map((i) => ({ seriesId: list[i]!.seriesId, ...range, only: 'cut' as const })),
  );
  for (const { request, body } of bodies) {
    const { points } = decodeBody(body);
    totals[cut[request]!]! -= points.steps.length - clip(points, range.from, range.to).steps.length;
  }
  return totals;
}
