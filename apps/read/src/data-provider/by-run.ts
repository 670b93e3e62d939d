import type { RunName } from '#model';

/** One entry per run, with its series in order. */
export function byRun<Series extends { readonly run: RunName }, Tag>(
  list: readonly Series[],
  entry: (series: Series) => Tag,
): { runName: RunName; tags: Tag[] }[] {
  return [...Map.groupBy(list, ({ run }) => run)].map(([runName, series]) => ({ runName, tags: series.map(entry) }));
}
