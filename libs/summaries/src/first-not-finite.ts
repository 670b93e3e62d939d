import { type ScalarSeries, bucketsOf } from './scalar-summary.ts';
import { rowsOf, type SeriesRow, type Source, type Whole } from './source.ts';

/** Each request divides a range by 1,000, so four requests find one point in 10^12. */
const maxLooks = 4;

/** The exact step of the first NaN or infinity in a series; null if there is none. */
export async function firstNotFinite(source: Source, experimentId: string, row: SeriesRow): Promise<Whole | null> {
  let steps: { from?: Whole; to?: Whole } = {};
  for (let look = 0; look < maxLooks; look++) {
    const response = await source.scalars(experimentId, { runs: [row.run], tags: [row.tag], points: 1_000, steps });
    const series = rowsOf<ScalarSeries>(response, 'series').find((one) => (one.writer ?? 0) === (row.writer ?? one.writer ?? 0));
    const found = series && bucketsOf(series).find((one) => one.nan + one.inf + one.negInf > 0);
    if (!found) return null;
    if (found.count === 1) return found.from;
    steps = { from: found.from, to: found.to };
  }
  return steps.from ?? null;
}
