import type { RunJson } from '../api/types.ts';
import { type SeriesStats, withoutWriters } from '../runs/use-series.ts';

type Value = string | number | boolean | null;

/**
 * A run list, as the API returns it for `order_by` and `value`, in a single page. Filter
 * expressions are not supported.
 */
export function runsTable(runs: readonly RunJson[], series: readonly SeriesStats[], asked: URLSearchParams): object {
  const stats = new Map(withoutWriters(series).map((one) => [JSON.stringify([one.run, one.tag]), one]));
  const valueOf = (run: RunJson, field: string): Value => fieldValue(run, field, (tag) => stats.get(JSON.stringify([run.run, tag])));
  const fields = asked.getAll('value');
  const [order = 'start_time', isDown] = (asked.get('order_by') ?? '').split(/( desc)$/);
  const sorted = runs
    .map((run) => ({ run, key: valueOf(run, order === '' ? 'start_time' : order) }))
    .sort((a, b) => compareValues(a.key, b.key, isDown === ' desc' ? -1 : 1) || compareTexts(a.run.run, b.run.run))
    .map(({ run }) => ({ ...run, ...(fields.length > 0 && { values: fields.map((field) => valueOf(run, field)) }) }));
  return { runs: sorted, total: runs.length };
}

function fieldValue(run: RunJson, field: string, statsOf: (tag: string) => SeriesStats | undefined): Value {
  const call = /^(last|min|max|last_step|hparam|state)\("((?:[^"\\]|\\.)*)"\)$/s.exec(field);
  if (!call) {
    if (field === 'name') return run.run;
    if (field === 'start_time') return run.start_time;
    if (field === 'duration')
      return run.start_time === null || run.last_time === null ? null : Number(run.last_time) - Number(run.start_time);
    const source = run.source as Readonly<Record<string, Value>> | null;
    return (run as unknown as Readonly<Record<string, Value | undefined>>)[field] ?? source?.[field] ?? null;
  }
  const name = call[2]!.replaceAll(/\\(.)/gs, '$1');
  if (call[1] === 'state') return run.state;
  if (call[1] === 'hparam') return run.hparams[name] ?? null;
  const stats = statsOf(name);
  return stats?.[call[1] as 'last' | 'min' | 'max' | 'last_step'] ?? null;
}

/** Runs without a value come last in both directions. */
function compareValues(a: Value, b: Value, direction: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const [left, right] = [Number(a), Number(b)];
  if (typeof a !== 'boolean' && !Number.isNaN(left) && !Number.isNaN(right)) return direction * (left - right);
  return direction * compareTexts(String(a), String(b));
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
