import type { ScalarStretch } from './scalar-pages.ts';

/** First line of the table. */
export function csvHead(superseded: boolean): string {
  return `run,tag,step,wall_time,value${superseded ? ',superseded' : ''}\n`;
}

/** The lines of a stretch. Numbers are the shortest that round-trip, -0 is `-0.0`, and what is not finite is `NaN`, `Infinity`, `-Infinity`, as in the JSON of the API. */
export function csvLines(stretch: ScalarStretch): string {
  const name = `${quoted(stretch.run)},${quoted(stretch.tag)},`;
  const lines: string[] = [];
  for (let i = 0; i < stretch.steps.length; i++) {
    const flag = stretch.superseded ? `,${String(stretch.superseded[i])}` : '';
    lines.push(`${name}${String(stretch.steps[i])},${number(stretch.wallTimes[i] ?? NaN)},${number(stretch.values[i] ?? NaN)}${flag}\n`);
  }
  return lines.join('');
}

/** RFC 4180, 2.6 and 2.7. */
function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function number(value: number): string {
  return Object.is(value, -0) ? '-0.0' : String(value);
}
