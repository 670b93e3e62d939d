import type { DataClass, SeriesId, TenantId } from '#model';
import { listReaderSeries, readTailsOfSeries, type ReaderSeries, type ReaderSeriesFilter, type Store } from '#store';
import type { Admit } from './admit.ts';
import { rangesOf } from './find-scalar-series.ts';
import { noTail, tailsBySeries } from './tail-points.ts';

/** A series with an effective point, and the largest step and wall time of its effective points. */
export interface ListedSeries extends ReaderSeries {
  readonly maxStep: bigint;
  readonly maxWallTime: number;
}

/**
 * Lists the series of one class and plugin that have an effective point, for readers of
 * TensorBoard's data provider contract.
 */
export async function listForReaders(
  store: Store,
  tenantId: TenantId,
  dataClass: DataClass,
  filter: ReaderSeriesFilter,
  admit: Admit,
): Promise<ListedSeries[]> {
  return store.withSnapshot(tenantId, async (snapshot) => {
    const [, list] = await Promise.all([admit(snapshot), listReaderSeries(snapshot, dataClass, filter)]);
    const tails = tailsBySeries(dataClass === 'scalar' ? await readTailsOfSeries(snapshot, rangesOf(list)) : [], idsOf(list));
    return list.flatMap((series) => {
      const { steps, wallTimes } = (tails.get(series.seriesId) ?? noTail).effective;
      // Points of the tail always come after those in chunks.
      const maxStep = steps.at(-1) ?? series.maxStep;
      if (maxStep === null) return [];
      return [{ ...series, maxStep, maxWallTime: wallTimes.reduce((max, time) => Math.max(max, time), series.maxWallTime ?? -Infinity) }];
    });
  });
}

function idsOf(list: readonly ReaderSeries[]): ReadonlySet<SeriesId> {
  return new Set(list.map(({ seriesId }) => seriesId));
}
