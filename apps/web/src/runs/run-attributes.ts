import type { RunJson } from '../api/types.ts';
import { ancestorIn, trialsOf } from '../data/hparams/hparams-table.ts';
import { type Cell, meets, meetsLabel } from './conditions.ts';
import { runState } from './run-state.ts';
import { pointName } from '../runs-table/point-columns.ts';
import type { SeriesStats } from './use-series.ts';

/**
 * The subject of a condition. `key`: `status`, `label`, `h:` and a hyperparameter, or `m:`, `min:`
 * or `max:` and a tag.
 */
export interface Attribute {
  readonly key: string;
  readonly name: string;
}

/**
 * The attributes of each run: its state, and the hyperparameters and last values of its trial. If
 * the run belongs to no trial, its own last values.
 */
export function attributesOf(runs: readonly RunJson[], series: readonly SeriesStats[]): Map<string, ReadonlyMap<string, Cell>> {
  const trials = new Map(trialsOf(runs, series).rows.map(({ run, cells }) => [run, cells]));
  const own = Map.groupBy(series, ({ run }) => run);
  return new Map(
    runs.map(({ run, status }) => {
      const trial = ancestorIn(run, trials);
      const logged = own.get(run) ?? [];
      const known = trial === null ? lastValues(logged) : trials.get(trial)!;
      return [run, new Map<string, Cell>([['status', status], ...known, ...extremes(logged)])];
    }),
  );
}

function lastValues(series: readonly SeriesStats[]): [string, Cell][] {
  return series.flatMap(({ tag, last }) => (last === null ? [] : [[`m:${tag}`, Number(last)]]));
}

function extremes(series: readonly SeriesStats[]): [string, Cell][] {
  return series.flatMap(({ tag, min, max }): [string, Cell][] => [
    [`min:${tag}`, min === null ? null : Number(min)],
    [`max:${tag}`, max === null ? null : Number(max)],
  ]);
}

/** The possible subjects of conditions: all attributes that at least one run has. */
export function attributeNames(attributes: ReadonlyMap<string, ReadonlyMap<string, Cell>>): Attribute[] {
  const keys = new Set([...attributes.values()].flatMap((cells) => [...cells.keys()].filter((key) => !/^(min|max):/.test(key))));
  return [...keys].map((key) => ({ key, name: attributeName(key) }));
}

/** The display name of an attribute. */
export function attributeName(key: string): string {
  const [, summary, tag] = /^(min|max|min_step|max_step):(.*)$/s.exec(key) ?? [];
  if (summary !== undefined) return `${tag} (${summary.includes('_') ? `step of ${summary.slice(0, 3)}` : summary})`;
  return /^[hm]:/.test(key) ? key.slice(2) : (pointName(key) ?? key);
}

/** Whether any condition requires last values. */
export function needsSeries(conditions: ReadonlyMap<string, string>): boolean {
  return [...conditions.keys()].some((key) => ofSeries.test(key));
}

/** The keys of conditions on tag values. */
const ofSeries = /^(m|min|max):/;
/**
 * Only the run table has steps of extremes and values at steps, so only the run table applies these
 * conditions.
 */
const ofSteps = /^((min|max)_step|at(_min|_max)?):/;

/** The time at which the states of runs are evaluated. */
export interface RunClock {
  /** In ms since 1970. */
  readonly now: number;
  /** In minutes. */
  readonly stalledAfter: number;
}

/**
 * The runs that meet all conditions. Conditions on tag values are ignored until `series` is
 * available. Conditions on steps of extremes and on values at steps are always ignored.
 */
export function runsMeeting(
  conditions: ReadonlyMap<string, string>,
  runs: readonly RunJson[],
  series: readonly SeriesStats[] | undefined,
  clock: RunClock,
): ReadonlySet<string> {
  const judged = [...conditions].filter(([key]) => !ofSteps.test(key) && (series !== undefined || !ofSeries.test(key)));
  const attributes = attributesOf(runs, series ?? []);
  const met = runs.filter((one) =>
    judged.every(([key, text]) => {
      if (key === 'label') return meetsLabel(one.labels, text);
      // Older URLs contain the logged status
      if (key === 'status') return meets(runState(one, clock.now, clock.stalledAfter), text) || meets(one.status, text);
      return meets(attributes.get(one.run)!.get(key), text);
    }),
  );
  return new Set(met.map(({ run }) => run));
}
