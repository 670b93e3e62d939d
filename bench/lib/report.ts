import { cpus, loadavg, totalmem } from 'node:os';

/** A measured number, with its bound if it has one. */
export interface Row {
  readonly measure: string;
  /** Null if not measured; the note explains why. */
  readonly value: number | null;
  readonly unit: string;
  /** The bound that the product promises, a maximum or a minimum. */
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly note?: string;
}

/** The result of a bench: the table, the parameters, and every sample behind the medians. */
export interface Report {
  readonly bench: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly rows: readonly Row[];
  readonly samples: Readonly<Record<string, unknown>>;
}

/** Whether the bound is met; null without a bound or a number. */
export function met(row: Row): boolean | null {
  if (row.value === null || (row.atMost === undefined && row.atLeast === undefined)) return null;
  return (row.atMost === undefined || row.value <= row.atMost) && (row.atLeast === undefined || row.value >= row.atLeast);
}

/** Returns the exit status of a bench: 1 if `--check` was given and a bound was missed. */
export function exitCodeOf(report: Report, check: boolean): 0 | 1 {
  return check && report.rows.some((row) => met(row) === false) ? 1 : 0;
}

/**
 * Returns the document that `--json` prints: the report with each row's verdict, and the machine.
 */
export function toJson(report: Report): string {
  const rows = report.rows.map((row) => ({ ...row, met: met(row) }));
  const machine = {
    cpus: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
    memory_bytes: totalmem(),
    load_average: loadavg(),
    node: process.version,
    date: new Date().toISOString(),
  };
  return JSON.stringify({ ...report, rows, machine }, null, 2);
}

/** Returns the table for the terminal. */
export function toTable(report: Report): string {
  const lines = report.rows.map((row) => [row.measure, shown(row.value), row.unit, bound(row), verdict(row), row.note ?? '']);
  const heads = ['measure', 'value', 'unit', 'bound', '', ''];
  const widths = heads.map((head, column) => Math.max(head.length, ...lines.map((line) => line[column]!.length)));
  const form = (line: readonly string[]): string =>
    line
      .map((cell, column) => (column === 1 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd();
  const parameters = Object.entries(report.parameters).map(([name, value]) => `${name} ${String(value)}`);
  return [`${report.bench}: ${parameters.join(', ')}`, form(heads), ...lines.map(form)].join('\n');
}

function bound({ atMost, atLeast }: Row): string {
  if (atMost !== undefined) return `<= ${shown(atMost)}`;
  return atLeast === undefined ? '' : `>= ${shown(atLeast)}`;
}

function verdict(row: Row): string {
  const ok = met(row);
  return ok === null ? '' : ok ? 'ok' : 'MISSED';
}

/** Three significant digits, with thousands separators. */
function shown(value: number | null): string {
  if (value === null || Number.isNaN(value)) return '-';
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en-US', { minimumFractionDigits: 0, maximumFractionDigits: Math.min(6, digits) });
}
