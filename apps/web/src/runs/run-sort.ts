import { compareNumbers, naturally } from '#charts';
import type { RunJson } from '../api/types.ts';
import type { SeriesStats } from './use-series.ts';

export const sortStats = ['last', 'min', 'max'] as const;
export type SortStat = (typeof sortStats)[number];

/** The sort key of the run list. */
export type RunSort =
  { readonly by: 'start' | 'name'; readonly down: boolean } | { readonly by: SortStat; readonly tag: string; readonly down: boolean };

/** Parses `name`, `-last:val/acc` and the like. Anything else means sorting by start time. */
export function readRunSort(text: string): RunSort {
  const down = text.startsWith('-');
  const rest = down ? text.slice(1) : text;
  const colon = rest.indexOf(':');
  const stat = sortStats.find((one) => one === rest.slice(0, Math.max(0, colon)));
  if (stat) return { by: stat, tag: rest.slice(colon + 1), down };
  return { by: rest === 'name' ? 'name' : 'start', down };
}

/** The text that {@link readRunSort} parses. Empty means sorting by start time. */
export function writeRunSort(sort: RunSort): string {
  const text = 'tag' in sort ? `${sort.by}:${sort.tag}` : sort.by === 'name' ? 'name' : '';
  return sort.down ? `-${text}` : text;
}

/**
 * Sorts runs, and returns their sort values. `runs`: sorted by start time. Runs with a missing or
 * non-finite value come last.
 */
export function sortRuns(
  runs: readonly RunJson[],
  sort: RunSort,
  series: readonly SeriesStats[],
): { readonly runs: readonly RunJson[]; readonly values: ReadonlyMap<string, number> } {
  const none = new Map<string, number>();
  if (!('tag' in sort)) {
    const sorted = sort.by === 'name' ? runs.toSorted((a, b) => naturally(a.run, b.run)) : [...runs];
    return { runs: sort.down ? sorted.reverse() : sorted, values: none };
  }
  const { by, tag } = sort;
  const values = new Map(series.flatMap((one) => (one.tag === tag && one[by] !== null ? [[one.run, Number(one[by])] as const] : [])));
  const sorted = runs.toSorted((a, b) => compareNumbers(values.get(a.run) ?? null, values.get(b.run) ?? null, sort.down));
  return { runs: sorted, values };
}
