import { hparamNumber, naturally, rankTag } from '#charts';
import type { RunJson, TagJson } from '../api/types.ts';
import type { Cell } from '../runs/conditions.ts';
import { pointColumnOf, pointStepColumn } from './point-columns.ts';
import { quoted } from './quoted.ts';
import type { RunColumn } from './run-column.ts';

export type { RunColumn } from './run-column.ts';

/** Columns shown by default. */
const firstHparams = 12;
const firstMetrics = 5;

const summaries = ['last', 'min', 'max', 'min_step', 'max_step'] as const;

/** Appended to the tag name. */
const summaryNames: Readonly<Record<(typeof summaries)[number], string>> = {
  last: '',
  min: ' (min)',
  max: ' (max)',
  min_step: ' (step of min)',
  max_step: ' (step of max)',
};

/** Facts that runs recorded. The keys are also the field names of the API. */
const texts: readonly { readonly key: string; readonly name: string; readonly of: (run: RunJson) => string | null }[] = [
  { key: 'display_name', name: 'Display name', of: ({ display_name: name }) => name },
  { key: 'group', name: 'Group', of: ({ group }) => group },
  { key: 'job_type', name: 'Job type', of: ({ job_type: type }) => type },
  { key: 'person', name: 'Person', of: ({ person }) => person },
  { key: 'host', name: 'Host', of: ({ host }) => host },
  { key: 'git_branch', name: 'Branch', of: ({ source }) => source?.git_branch ?? null },
  { key: 'git_commit', name: 'Commit', of: ({ source }) => source?.git_commit?.slice(0, 10) ?? null },
];

/** All columns that these runs and tags can have, limited to `maxTags` tags. */
export function columnsOf(runs: readonly RunJson[], tags: readonly TagJson[], maxTags = Infinity): RunColumn[] {
  const hparams = valuesByName(runs);
  const scalars = scalarsByRank(tags).slice(0, maxTags);
  return [
    { key: 'state', name: 'State', kind: 'state', where: 'status' },
    { key: 'started', name: 'Started', kind: 'time' },
    { key: 'duration', name: 'Duration', kind: 'duration' },
    ...(scalars.length > 0 ? [{ key: 'step', name: 'Last step', kind: 'count' } as const] : []),
    ...texts.flatMap(({ key, name, of }) => (runs.some((run) => of(run) !== null) ? [{ key, name, kind: 'text' } as const] : [])),
    ...(runs.some(({ labels }) => labels.length > 0) ? [{ key: 'labels', name: 'Labels', kind: 'text', where: 'label' } as const] : []),
    ...[...hparams].map(([name, { constant }]) => ({
      key: `h:${name}`,
      name,
      kind: 'hparam' as const,
      where: `h:${name}`,
      ...(constant && { constant }),
    })),
    ...scalars.flatMap((tag) => summaries.map((of) => metricColumn(of, tag))),
  ];
}

function metricColumn(of: (typeof summaries)[number], tag: string): RunColumn {
  const key = `${of === 'last' ? 'm' : of}:${tag}`;
  const kind = of === 'min_step' || of === 'max_step' ? 'count' : 'metric';
  return { key, name: tag + summaryNames[of], kind, of, where: key, field: `${of}(${quoted(tag)})` };
}

/**
 * The column with the step at which a column's value was logged. Null if there is none or none is
 * needed.
 */
export function stepColumn(column: RunColumn): RunColumn | null {
  if (column.of === 'at') return pointStepColumn(column);
  if (column.of !== 'min' && column.of !== 'max') return null;
  return metricColumn(column.of === 'min' ? 'min_step' : 'max_step', tagOf(column));
}

/** The tag of a metric column. */
export function tagOf({ key }: Pick<RunColumn, 'key'>): string {
  return key.slice(key.indexOf(':') + 1);
}

/** The columns with values at a step, among these keys. */
export function pointColumnsOf(keys: readonly string[], tags: readonly TagJson[]): RunColumn[] {
  const wanted = keys.filter((key) => key.startsWith('at'));
  if (wanted.length === 0) return [];
  const scalars = new Set(scalarsByRank(tags));
  return [...new Set(wanted)].flatMap((key) => pointColumnOf(key, scalars) ?? []);
}

/**
 * The columns to show: the selected columns in order, or by default the state, times, the
 * hyperparameters that differ, and the last values of the most informative tags.
 */
export function shownColumns(all: readonly RunColumn[], chosen: readonly string[] | null, pinned: readonly string[]): RunColumn[] {
  const known = new Map(all.map((column) => [column.key, column]));
  const keys = chosen ?? defaultKeys(all);
  const ordered = [...pinned.filter((key) => keys.includes(key)), ...keys.filter((key) => !pinned.includes(key))];
  return ordered.flatMap((key) => known.get(key) ?? []);
}

/** Shown only when chosen. */
const rare = new Set(['job_type', 'person', 'host', 'git_branch', 'git_commit']);

function defaultKeys(all: readonly RunColumn[]): string[] {
  const hparams = all.filter(({ kind, constant }) => kind === 'hparam' && !constant).slice(0, firstHparams);
  const metrics = all.filter(({ of, key }) => of === 'last' && rankTag(key.slice(2)) < 3).slice(0, firstMetrics);
  const others = all.filter(({ kind, key, of }) => kind !== 'hparam' && of === undefined && !rare.has(key));
  return [...others, ...metrics, ...hparams].map(({ key }) => key);
}

/** Scalar tags, the most informative first. */
export function scalarsByRank(tags: readonly TagJson[]): string[] {
  const scalars = [...new Set(tags.filter(({ data_class: dataClass }) => dataClass === 'scalar').map(({ tag }) => tag))];
  const ranks = new Map(scalars.map((tag) => [tag, rankTag(tag)]));
  return scalars.sort((a, b) => ranks.get(a)! - ranks.get(b)! || naturally(a, b));
}

/** The tag with the last step that counts as a run's last step: a tag that most runs have. */
export function stepTag(tags: readonly TagJson[]): string | null {
  const scalars = tags.filter(({ data_class: dataClass }) => dataClass === 'scalar');
  const max = Math.max(0, ...scalars.map(({ runs }) => runs));
  return scalarsByRank(scalars.filter(({ runs }) => runs === max)).toSorted((a, b) => rankOfSteps(a) - rankOfSteps(b))[0] ?? null;
}

/** Training values are logged most often, so their last step is the largest. */
function rankOfSteps(tag: string): number {
  const rank = rankTag(tag);
  return rank === 1 ? 0 : rank === 0 ? 3 : rank;
}

/** The hyperparameter names in natural order, and whether all runs have the same value. */
function valuesByName(runs: readonly RunJson[]): Map<string, { readonly constant: boolean }> {
  const found = new Map<string, Set<string | number | boolean>>();
  for (const { hparams } of runs)
    for (const [name, value] of Object.entries(hparams)) {
      const values = found.get(name) ?? new Set();
      found.set(name, values.add(value));
    }
  const withSome = runs.filter(({ hparams }) => Object.keys(hparams).length > 0);
  return new Map(
    [...found]
      .sort(([a], [b]) => naturally(a, b))
      .map(([name, values]) => [
        name,
        { constant: withSome.length > 1 && values.size === 1 && withSome.every(({ hparams }) => Object.hasOwn(hparams, name)) },
      ]),
  );
}

/** The API field of a column. Null if every run includes the value. */
export function fieldOf({ key, field }: RunColumn, step: string | null): string | null {
  if (field !== undefined) return field;
  return key === 'step' ? `last_step(${quoted(step ?? '')})` : null;
}

/** The sort order of a run list, as the API expects it. Null for the default order. */
export function orderOf(sort: string, columns: readonly RunColumn[], step: string | null, stalledAfter: number): string | null {
  const down = sort.startsWith('-');
  const key = down ? sort.slice(1) : sort;
  const column = columns.find((one) => one.key === key);
  const field = key === 'name' ? 'name' : column && sortField(column, step, stalledAfter);
  return field === null || field === undefined ? null : `${field}${down ? ' desc' : ''}`;
}

function sortField(column: RunColumn, step: string | null, stalledAfter: number): string | null {
  switch (column.key) {
    case 'state':
      return `state("${stalledAfter}")`;
    case 'started':
      return 'start_time';
    case 'duration':
      return column.key;
    case 'labels':
      return null;
    default:
      if (column.kind === 'text') return column.key;
      return column.kind === 'hparam' ? `hparam(${quoted(tagOf(column))})` : fieldOf(column, step);
  }
}

/** The columns that every run includes, except its state and hyperparameters. */
const facts: readonly (readonly [string, (run: RunJson) => Cell])[] = [
  ['started', (run) => numberOf(run.start_time)],
  ['duration', (run) => (run.start_time === null || run.last_time === null ? null : Number(run.last_time) - Number(run.start_time))],
  ...texts.map(({ key, of }) => [key, of] as const),
  ['labels', ({ labels }) => (labels.length === 0 ? null : labels.join(', '))],
];
const factsByKey = new Map(facts);

/** Reads a column that every run includes, except its state; null for other columns. */
export function factOf({ key, kind, name }: RunColumn): ((run: RunJson) => Cell) | null {
  if (kind !== 'hparam') return factsByKey.get(key) ?? null;
  return ({ hparams }) => (Object.hasOwn(hparams, name) ? (hparamNumber(hparams[name]!) ?? hparams[name]!) : null);
}

/** A run's cells. `fields`: the columns of its requested values. */
export function cellsOf(run: RunJson, fields: readonly string[]): Map<string, Cell> {
  const cells = new Map<string, Cell>(facts.map(([key, of]) => [key, of(run)]));
  for (const [name, value] of Object.entries(run.hparams)) cells.set(`h:${name}`, hparamNumber(value) ?? value);
  fields.forEach((key, index) => cells.set(key, numberOf(run.values?.[index] ?? null)));
  return cells;
}

/** Converts a number from the API. Numbers that JSON cannot represent are strings. */
export function numberOf(value: string | number | boolean | null): number | null {
  return value === null ? null : Number(value);
}
