import { isRising, placesOf, type ScalarSeries } from '#charts';
import { joinNumbers, numbersOfEntries, type RangeNumbers } from './range-rows.ts';

/** Loads a range of a series' steps, both ends included, with finer entries. */
export type LoadFiner = (from: number, to: number) => Promise<ScalarSeries | undefined>;

/**
 * Exact statistics of the points in a range of a time axis. The service accepts only ranges of
 * steps, and a bucket has only the time of its first point. So buckets that cross an end of the
 * range are loaded with finer entries until only single points are left. Null if the statistics are
 * unknown, for example because a clock was set back or data changed in the meantime.
 */
export async function exactInTimes(
  whole: ScalarSeries,
  axis: 'relative' | 'wall',
  range: { readonly from: number; readonly to: number },
  load: LoadFiner,
): Promise<RangeNumbers | null> {
  const origin = whole.wallTime[0] ?? 0;
  const parts: RangeNumbers[] = [];
  const isIn = (place: number): boolean => place >= range.from && place <= range.to;

  /** `end`: the time of the series' last point. */
  const collect = async (series: ScalarSeries, end: number): Promise<boolean> => {
    const places = placesOf(series, axis, origin);
    if (series.raw) {
      const seen = [...places.keys()].filter((i) => isIn(places[i]!));
      if (seen.length > 0) parts.push(numbersOfEntries(series, seen));
      return true;
    }
    if (!isRising(places) || series.exactStep) return false;
    for (let i = 0; i < places.length; i++) {
      const [first, last] = [places[i]!, places[i + 1] ?? end];
      if (first > range.to || last < range.from) continue;
      if (series.count[i] === 1 ? isIn(first) : isIn(first) && last <= range.to) parts.push(numbersOfEntries(series, [i]));
      else if (series.count[i]! > 1) {
        const finer = await load(series.firstStep[i]!, series.step[i]!);
        if (!finer || finer.sourcePoints !== series.count[i] || (!finer.raw && finer.step.length < 2)) return false;
        if (!(await collect(finer, last))) return false;
      }
    }
    return true;
  };
  return (await collect(whole, Infinity)) ? joinNumbers(parts) : null;
}
