/** One entry per run, with its series in order. */
export function byRun<Series extends { readonly run: string }, Tag>(
  list: readonly Series[],
  entry: (series: Series) => Tag,
): { runName: string; tags: Tag[] }[] {
  return [...Map.groupBy(list, ({ run }) => run)].map(([runName, series]) => ({ runName, tags: series.map(entry) }));
}
