import { compareNumbers, naturally } from '#charts';
import type { RunJson } from '../api/types.ts';
import type { SeriesStats } from './use-series.ts';

export const sortStats = ['last', 'min', 'max'] as const;
export type SortStat = (typeof sortStats)[number];

/** What the list of runs is sorted by. */
export type RunSort =
  { readonly by: 'start' | 'name'; readonly down: boolean } | { readonly by: SortStat; readonly tag: string; readonly down: boolean };

/** Reads `name`, `-last:val/acc` and the like; anything else is the order of their beginning. */
export function readRunSort(text: string): RunSort {
  const down = text.startsWith('-');
  const rest = down ? text.slice(1) : text;
  const colon = rest.indexOf(':');
  const stat = sortStats.find((one) => one === rest.slice(0, Math.max(0, colon)));
  if (stat) return { by: stat, tag: rest.slice(colon + 1), down };
  return { by: rest === 'name' ? 'name' : 'start', down };
}

/** What {@link readRunSort} reads; empty: as they began. */
export function writeRunSort(sort: RunSort): string {
  const text = 'tag' in sort ? `${sort.by}:${sort.tag}` : sort.by === 'name' ? 'name' : '';
  return sort.down ? `-${text}` : text;
}

/** Runs in this order, and what they are sorted by. `runs`: as they began. Those without a value, or whose value is not finite, come last. */
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
