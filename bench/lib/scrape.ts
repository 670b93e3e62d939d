/** Returns a metric of a service's `/metrics`; throws if the metric is missing. */
export async function scrape(url: string, metric: string): Promise<number> {
  const text = await (await fetch(url)).text();
  const line = new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text);
  if (!line) throw new Error(`${url} does not have ${metric}`);
  return Number(line[1]);
}
