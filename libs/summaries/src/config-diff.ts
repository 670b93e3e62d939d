import { Problem, type RunName } from '#model';
import { distinct } from './compare.ts';
import { maxResultBytes } from './find.ts';
import { byName } from './numbers.ts';
import { jsonBytes, shortened } from './safe-json.ts';
import { type Json, pageLink, quoted, type RunRow, rowsOf, type Source } from './source.ts';

/** Maximum number of keys listed, and of characters per value. */
const maxKeys = 100;
const maxValueCharacters = 200;

/**
 * Returns the configuration keys and source facts that differ between runs. Each has a list of
 * values in the order of `runs`, with null for runs without the key.
 */
export async function diffConfigs(source: Source, experimentId: string, runs: readonly RunName[]): Promise<Json> {
  const names = distinct(runs);
  const { url } = await source.experiment(experimentId);
  const page = await source.runs(experimentId, { filter: names.map((name) => `run = ${quoted(name)}`).join(' or '), page_size: '1000' });
  const found = new Map(rowsOf<RunRow>(page, 'runs').map((run) => [run.run, run]));
  const missing = names.filter((name) => !found.has(name));
  if (missing.length > 0) throw new Problem('not-found', `There is no run ${missing.map((name) => JSON.stringify(name)).join(', ')}.`);
  const rows = names.map((name) => found.get(name)!);
  const config = differing(rows.map((run) => run.config));
  const facts = differing(rows.map((run) => ({ group: run.group, job_type: run.job_type, ...run.source })));
  const entries = Object.entries(config.differing);
  const kept = entries.slice(0, maxKeys);
  const result = (): Json => ({
    runs: names,
    differing: Object.fromEntries(kept),
    ...(kept.length < entries.length && { keys_omitted: entries.length - kept.length }),
    same_keys: config.same,
    ...(Object.keys(facts.differing).length > 0 && { source: facts.differing }),
    link: pageLink(url, names),
  });
  while (kept.length > 1 && jsonBytes(result()) > maxResultBytes) kept.pop();
  return result();
}

function differing(records: readonly Json[]): { readonly differing: Json; readonly same: number } {
  const keys = [...new Set(records.flatMap((record) => Object.keys(record)))].sort(byName);
  const rows = keys.map((key) => [key, records.map((record) => (Object.hasOwn(record, key) ? record[key] : null))] as const);
  const unequal = rows.filter(([, values]) => values.some((value) => !Object.is(value, values[0])));
  const shown = unequal.map(([key, values]) => [
    shortened(key, maxValueCharacters),
    values.map((value) => (typeof value === 'string' ? shortened(value, maxValueCharacters) : value)),
  ]);
  return { differing: Object.fromEntries(shown) as Json, same: rows.length - unequal.length };
}
