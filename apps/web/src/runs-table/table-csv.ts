import type { Cell } from '../runs/conditions.ts';
import type { RunColumn } from './table-columns.ts';
import type { TableRow } from './table-groups.ts';

/**
 * The table as CSV (RFC 4180): numbers in full, start times in ISO 8601, durations in seconds. Text
 * that a spreadsheet would run as a formula is prefixed with an apostrophe.
 */
export function tableCsv(columns: readonly RunColumn[], rows: readonly TableRow[]): string {
  const lines = [
    ['run', ...columns.map(({ name, kind }) => (kind === 'duration' ? `${name} (s)` : name))],
    ...rows.map(({ run, cells }) => [run, ...columns.map((column) => cellText(column, cells.get(column.key) ?? null))]),
  ];
  return lines.map((fields) => `${fields.map(field).join(',')}\r\n`).join('');
}

function cellText({ kind }: RunColumn, value: Cell): string | number {
  if (value === null) return '';
  if (kind === 'time' && typeof value === 'number' && Number.isFinite(value)) return new Date(value * 1000).toISOString();
  return typeof value === 'boolean' ? String(value) : value;
}

function field(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
