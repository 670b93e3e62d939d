import type { RunId, SeriesId } from '#model';
import { listScalarSeries, readTailsOfSeries, type ScalarSeries, type SeriesRange, type Snapshot } from '#store';
import { type SeriesSelection, stepRange } from './scalar-request.ts';
import { type SeriesTail, tailsBySeries } from './tail-points.ts';

/** Series, and their points in tails. */
export interface FoundSeries {
  readonly list: ScalarSeries[];
  readonly tails: ReadonlyMap<string, SeriesTail>;
}

/**
 * The matching series, and their points in tails. `check` is called with the list first, and may
 * throw.
 */
export async function findScalarSeries(
  snapshot: Snapshot,
  selection: SeriesSelection,
  check?: (list: readonly ScalarSeries[]) => Promise<void>,
): Promise<FoundSeries> {
  const list = await listScalarSeries(snapshot, { ...selection, ...stepRange(selection) });
  await check?.(list);
  const wanted = new Set(list.map((series) => series.seriesId));
  return { list, tails: tailsBySeries(await readTailsOfSeries(snapshot, rangesOf(list)), wanted) };
}

/** The id range of these series for each run. */
export function rangesOf(list: readonly { readonly runId: RunId; readonly seriesId: SeriesId }[]): SeriesRange[] {
  return [...Map.groupBy(list, ({ runId }) => runId)].map(([runId, group]) => {
    const ids = group.map(({ seriesId }) => BigInt(seriesId));
    const [first, last] = [ids.reduce((a, b) => (a < b ? a : b)), ids.reduce((a, b) => (a > b ? a : b))];
    return { runId, firstSeries: String(first), lastSeries: String(last) };
  });
}
