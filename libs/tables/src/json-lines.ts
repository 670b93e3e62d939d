import { tableFloat } from '#model';
import type { ScalarRange, TableColumns } from './scalar-range.ts';

/**
 * A range as JSON Lines, with numbers as in the API: floats parse to the same float64, and NaN,
 * infinities and steps beyond 2^53 are strings.
 */
export function jsonLines(range: ScalarRange, columns: TableColumns): string {
  const { run, tag, writer, steps, wallTimes, values, superseded } = range;
  const head = `{"run":${JSON.stringify(run)},"tag":${JSON.stringify(tag)}${columns.writer ? `,"writer":${writer}` : ''}`;
  const lines: string[] = [];
  for (let i = 0; i < steps.length; i++) {
    const flag = superseded ? `,"superseded":${String(superseded[i])}` : '';
    lines.push(`${head},"step":${step(steps[i]!)},"wall_time":${float(wallTimes[i]!)},"value":${float(values[i]!)}${flag}}\n`);
  }
  return lines.join('');
}

const largest = BigInt(Number.MAX_SAFE_INTEGER);

function step(value: bigint): string {
  return value > largest || value < -largest ? `"${value}"` : value.toString();
}

function float(value: number): string {
  return Number.isFinite(value) ? tableFloat(value) : `"${value}"`;
}
