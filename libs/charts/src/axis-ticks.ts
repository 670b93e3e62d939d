import { formatDuration, tickLabels } from './format-number.ts';
import type { Scale } from './scale.ts';
import { ticksOf, timeTicks } from './ticks.ts';
import type { XAxis } from './x-axis.ts';

/** A labelled place of an axis. */
export interface Tick {
  readonly value: number;
  readonly label: string;
}

/** Ticks of values and of steps. */
export function valueTicks(scale: Scale, most = 5): Tick[] {
  const values = ticksOf(scale, most);
  const labels = tickLabels(values);
  return values.map((value, i) => ({ value, label: labels[i]! }));
}

/** Ticks of the axis that charts run along. `offset`: seconds that local time is ahead of UTC. */
export function xTicks(axis: XAxis, scale: Scale, most = 5, offset = 0): Tick[] {
  if (axis === 'step') return wholeTicks(scale, most);
  if (axis === 'relative') {
    const values = scale.kind === 'linear' ? timeTicks(scale.min, scale.max, most) : ticksOf(scale, most);
    return values.map((value) => ({ value, label: value === 0 ? '0' : formatDuration(value) }));
  }
  const values = timeTicks(scale.min, scale.max, most, offset);
  return values.map((value, i) => ({ value, label: momentLabel(value + offset, (values[i - 1] ?? Number.NaN) + offset, scale) }));
}

/** Steps are whole: what lies between two is no place to label. */
function wholeTicks(scale: Scale, most: number): Tick[] {
  const ticks = valueTicks(scale, most);
  return ticks.every(({ value }) => Number.isInteger(value))
    ? ticks
    : ticks.filter(({ value }) => Number.isInteger(value)).map(({ value }) => ({ value, label: String(value) }));
}

/** The time, and where a day begins (or nothing smaller than days is shown) the day. */
function momentLabel(local: number, before: number, { min, max }: Scale): string {
  const date = new Date(local * 1000);
  if (Number.isNaN(date.getTime())) return '';
  const text = date.toISOString();
  const day = `${Number(text.slice(8, 10))} ${months[date.getUTCMonth()]}`;
  if (max - min > 4 * 86_400) return day;
  const isNewDay = Math.floor(local / 86_400) !== Math.floor(before / 86_400);
  if (isNewDay && local % 86_400 === 0) return day;
  return max - min < 300 ? text.slice(11, 19) : text.slice(11, 16);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
