import { guardFormula, tableFloat } from '#model';
import type { ScalarStretch } from './scalar-pages.ts';

/** The optional columns of the table. */
export interface TableColumns {
  readonly superseded: boolean;
  readonly writer: boolean;
}

/** First line of the table. */
export function csvHead({ superseded, writer }: TableColumns): string {
  return `run,tag,${writer ? 'writer,' : ''}step,wall_time,value${superseded ? ',superseded' : ''}\n`;
}

/**
 * The lines of a range. Floats as `tableFloat` writes them. `guard`: prevents names from being read
 * as formulas; `writer`: with its column.
 */
export function csvLines(stretch: ScalarStretch, { guard = false, writer = false }: { guard?: boolean; writer?: boolean } = {}): string {
  const text = (name: string): string => quoted(guard ? guardFormula(name) : name);
  const name = `${text(stretch.run)},${text(stretch.tag)},${writer ? `${stretch.writer},` : ''}`;
  const lines: string[] = [];
  for (let i = 0; i < stretch.steps.length; i++) {
    const flag = stretch.superseded ? `,${String(stretch.superseded[i])}` : '';
    lines.push(
      `${name}${String(stretch.steps[i])},${tableFloat(stretch.wallTimes[i] ?? NaN)},${tableFloat(stretch.values[i] ?? NaN)}${flag}\n`,
    );
  }
  return lines.join('');
}

/** RFC 4180, 2.6 and 2.7. */
function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
