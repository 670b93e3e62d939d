import type { ScalarSeries } from '#charts';

/** Series that are requested together, all from the same step on. */
export interface EndGroup {
  readonly runs: readonly string[];
  readonly from: number;
}

/**
 * Groups series with last steps that are at most `spread` apart. Requesting a group from the first
 * of these steps on returns little known data. Null if a series is empty, or if its last step is
 * not an exact number.
 */
export function groupByEnd(list: readonly ScalarSeries[], spread: number): EndGroup[] | null {
  const ends = list.map((series) => ({ run: series.run, end: series.exactStep ? Number.NaN : (series.step.at(-1) ?? Number.NaN) }));
  if (ends.some(({ end }) => !Number.isSafeInteger(end))) return null;
  const groups: { runs: string[]; from: number }[] = [];
  for (const { run, end } of ends.sort((a, b) => a.end - b.end)) {
    const group = groups.at(-1);
    if (group && end - group.from <= spread) group.runs.push(run);
    else groups.push({ runs: [run], from: end });
  }
  return groups.map(({ runs, from }) => ({ runs: runs.sort(), from }));
}
