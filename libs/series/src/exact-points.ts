import { decodeBody } from '#chunks';
import { readEffectiveBodies, type ScalarSeries, type Snapshot } from '#store';
import { clip } from './point-range.ts';

/** How many effective points of chunks each series has in the range: as counted, less what cut chunks have outside of it. */
export async function exactPoints(
  client: Snapshot['client'],
  tenantId: string,
  range: { readonly from: bigint; readonly to: bigint },
  list: readonly ScalarSeries[],
): Promise<number[]> {
  const totals = list.map((series) => series.points);
  const cut = list.flatMap((series, i) => (series.cutChunks > 0 ? [i] : []));
  const bodies = await readEffectiveBodies(
    client,
    tenantId,
    cut.map((i) => ({ seriesId: list[i]!.seriesId, ...range, only: 'cut' as const })),
  );
  for (const { request, body } of bodies) {
    const { points } = decodeBody(body);
    totals[cut[request]!]! -= points.steps.length - clip(points, range.from, range.to).steps.length;
  }
  return totals;
}
