import { formatHparam } from './format-number.ts';
import { nameFilter } from './name-filter.ts';

/** The properties of a run that grouping uses. */
export interface GroupedRun {
  readonly run: string;
  readonly hparams: Readonly<Record<string, string | number | boolean>>;
}

/**
 * Groups runs. `by`: `regex:PATTERN` (the text that its groups capture, otherwise the match) or
 * `hparam:NAME` (of the run, otherwise of the nearest run above it). An empty `by` returns null,
 * for no groups. Runs to which `by` does not apply are in the group with the empty name.
 */
export function groupRuns(by: string, runs: readonly GroupedRun[]): Map<string, string> | null {
  if (by.startsWith('regex:')) {
    const { capture } = nameFilter(by.slice('regex:'.length));
    return new Map(runs.map(({ run }) => [run, capture(run)]));
  }
  if (!by.startsWith('hparam:')) return null;
  const name = by.slice('hparam:'.length);
  const values = new Map(
    runs.flatMap(({ run, hparams }) => (Object.hasOwn(hparams, name) ? [[run, formatHparam(hparams[name]!)] as const] : [])),
  );
  return new Map(runs.map(({ run }) => [run, inherited(run, values)]));
}

function inherited(run: string, values: ReadonlyMap<string, string>): string {
  for (let name = run; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('/')))) {
    const value = values.get(name);
    if (value !== undefined) return value;
  }
  return '';
}
