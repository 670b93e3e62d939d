import { guardFormula, tableFloat } from '#model';
import type { ScalarRange, TableColumns } from './scalar-range.ts';

/** The table's first line. */
export function csvHead({ superseded, writer }: TableColumns): string {
  return `run,tag,${writer ? 'writer,' : ''}step,wall_time,value${superseded ? ',superseded' : ''}\n`;
}

/**
 * The lines for a range. `tableFloat` writes the floats. `guard` prevents names from being read as
 * formulas, and `writer` adds its column.
 */
export function csvLines(range: ScalarRange, { guard = false, writer = false }: { guard?: boolean; writer?: boolean } = {}): string {
  const text = (name: string): string => quoted(guard ? guardFormula(name) : name);
  const name = `${text(range.run)},${text(range.tag)},${writer ? `${range.writer},` : ''}`;
  const lines: string[] = [];
  for (let i = 0; i < range.steps.length; i++) {
    const flag = range.superseded ? `,${String(range.superseded[i])}` : '';
    lines.push(`${name}${String(range.steps[i])},${tableFloat(range.wallTimes[i] ?? NaN)},${tableFloat(range.values[i] ?? NaN)}${flag}\n`);
  }
  return lines.join('');
}

/** RFC 4180, sections 2.6 and 2.7. */
function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
