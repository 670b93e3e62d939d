import type { RunJson } from '../api/types.ts';
import { ancestorIn, trialsOf } from '../data/hparams/hparams-table.ts';
import { type Cell, meets, meetsLabel } from './conditions.ts';
import type { SeriesStats } from './use-series.ts';

/** Something that a condition can be about. `key`: `status`, `label`, `h:` and a hyper-parameter, `m:` and a tag. */
export interface Attribute {
  readonly key: string;
  readonly name: string;
}

/** What is known of each run: its state, the hyper-parameters and last values of its trial, or where it belongs to none its own last values. */
export function attributesOf(runs: readonly RunJson[], series: readonly SeriesStats[]): Map<string, ReadonlyMap<string, Cell>> {
  const trials = new Map(trialsOf(runs, series).rows.map(({ run, cells }) => [run, cells]));
  const own = Map.groupBy(series, ({ run }) => run);
  return new Map(
    runs.map(({ run, status }) => {
      const trial = ancestorIn(run, trials);
      const known = trial === null ? lastValues(own.get(run) ?? []) : trials.get(trial)!;
      return [run, new Map<string, Cell>([['status', status], ...known])];
    }),
  );
}

function lastValues(series: readonly SeriesStats[]): [string, Cell][] {
  return series.flatMap(({ tag, last }) => (last === null ? [] : [[`m:${tag}`, Number(last)]]));
}

/** What conditions can be about, for a choice: as far as any run has it. */
export function attributeNames(attributes: ReadonlyMap<string, ReadonlyMap<string, Cell>>): Attribute[] {
  const keys = new Set([...attributes.values()].flatMap((cells) => [...cells.keys()]));
  return [...keys].map((key) => ({ key, name: attributeName(key) }));
}

/** What an attribute is called. */
export function attributeName(key: string): string {
  return /^[hm]:/.test(key) ? key.slice(2) : key;
}

/** Whether a condition can only be judged once last values are known. */
export function needsSeries(conditions: ReadonlyMap<string, string>): boolean {
  return [...conditions.keys()].some((key) => key.startsWith('m:'));
}

/** The runs that meet all conditions. Those about last values wait while `series` is not there. */
export function runsMeeting(
  conditions: ReadonlyMap<string, string>,
  runs: readonly RunJson[],
  series: readonly SeriesStats[] | undefined,
): ReadonlySet<string> {
  const judged = [...conditions].filter(([key]) => series !== undefined || !key.startsWith('m:'));
  const attributes = attributesOf(runs, series ?? []);
  const met = runs.filter(({ run, labels }) =>
    judged.every(([key, text]) => (key === 'label' ? meetsLabel(labels, text) : meets(attributes.get(run)!.get(key), text))),
  );
  return new Set(met.map(({ run }) => run));
}
