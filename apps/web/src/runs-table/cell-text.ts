import { formatColumn, formatCount, formatDuration, formatHparam, formatValue, visibleText } from '#charts';
import type { Cell } from '../runs/conditions.ts';
import { type RunState, stateNames } from '../runs/run-state.ts';
import { type RunColumn, stepColumn } from './table-columns.ts';
import type { TableRow } from './table-groups.ts';

const thisYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const otherYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** The numbers in a metric column, as displayed: comparable at a glance. */
export type ColumnTexts = ReadonlyMap<string, ReadonlyMap<number, string>>;

/** The texts of all metric columns. */
export function columnTexts(columns: readonly RunColumn[], rows: readonly TableRow[]): ColumnTexts {
  return new Map(
    columns
      .filter(({ kind }) => kind === 'metric')
      .map(({ key }) => {
        const values = [...new Set(rows.map(({ cells }) => cells.get(key)).filter((cell) => typeof cell === 'number'))];
        const texts = formatColumn(values);
        return [key, new Map(values.map((value, i) => [value, texts[i]!]))];
      }),
  );
}

/** A value, as displayed. `texts`: see {@link columnTexts}. */
export function cellText({ kind, key }: RunColumn, value: Cell, texts?: ColumnTexts): string {
  if (value === null) return '–';
  if (kind === 'state') return stateNames[value as RunState];
  if (typeof value === 'number') {
    if (kind === 'time') return startText(value);
    if (kind === 'duration') return formatDuration(value);
    if (kind === 'count') return formatCount(value);
    if (kind === 'metric') return texts?.get(key)?.get(value) ?? formatValue(value);
  }
  return visibleText(typeof value === 'number' ? shortHparam(value) : formatHparam(value));
}

/**
 * A rounded seed would look like a different seed. Five digits are enough for random samples; the
 * tooltip shows all digits.
 */
function shortHparam(value: number): string {
  const text = formatHparam(value);
  return Number.isInteger(value) || text.length <= maxHparamCharacters ? text : formatHparam(Number(value.toPrecision(5)));
}

const maxHparamCharacters = 9;

/**
 * The full value for a tooltip, with the step if the value is an extreme. `cells`: the row's cells.
 */
export function cellTitle(column: RunColumn, value: Cell, cells: ReadonlyMap<string, Cell>): string | undefined {
  const { kind } = column;
  if (value === null || kind === 'state') return undefined;
  if (kind === 'time' && typeof value === 'number' && Number.isFinite(value)) return exact.format(value * 1000);
  const text = visibleText(typeof value === 'number' ? String(value) : formatHparam(value));
  const step = cells.get(stepColumn(column)?.key ?? '') ?? null;
  return step === null ? text : `${text} at step ${formatCount(Number(step))}`;
}

function startText(seconds: number): string {
  if (!Number.isFinite(seconds)) return formatValue(seconds);
  const date = new Date(seconds * 1000);
  return (date.getFullYear() === new Date().getFullYear() ? thisYear : otherYear).format(date);
}

/** Mean and standard deviation, with only the significant digits: 0.912 ± 0.004. */
export function spreadText(column: RunColumn, mean: number, std: number): string {
  if (column.kind === 'duration') return `${formatDuration(mean)} ± ${formatDuration(std)}`;
  if (column.kind === 'count') return `${formatCount(Math.round(mean))} ± ${formatCount(Math.round(std))}`;
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(std)));
  if (decimals > 8 || Math.abs(mean) >= 1e9) return `${formatValue(mean)} ± ${formatValue(std)}`;
  return `${fixed(mean, decimals)} ± ${fixed(std, decimals)}`;
}

function fixed(value: number, decimals: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals }).replace('-', '−');
}
