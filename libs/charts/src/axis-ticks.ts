import { leftInsets } from './chart-look.ts';
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
  return labelled(ticksOf(scale, most));
}

function labelled(values: readonly number[]): Tick[] {
  const labels = tickLabels(values);
  return values.map((value, i) => ({ value, label: labels[i]! }));
}

/** Seconds that local time is ahead of UTC at a moment: it changes where summer time begins or ends. */
export type ZoneOffset = (seconds: number) => number;

/** Pixels that an x axis has for its labels: along it, and beyond its ends. */
export interface LabelRoom {
  readonly wide: number;
  readonly left: number;
  readonly right: number;
}

/** Pixels between two labels, at least. */
const labelGap = 8;

/** Ticks of the axis that charts run along, at most `most`, and as many as have room for their labels. */
export function xTicks(axis: XAxis, scale: Scale, most = 5, offset: ZoneOffset = () => 0, room: LabelRoom | null = null): Tick[] {
  let ticks = ticksAlong(axis, scale, most, offset);
  for (let fewer = most - 1; room && fewer > 0 && !haveRoom(ticks, scale, room); fewer--) ticks = ticksAlong(axis, scale, fewer, offset);
  return room ? ticks.filter((_, i) => haveRoom(ticks.slice(i, i + 1), scale, room)) : ticks;
}

function ticksAlong(axis: XAxis, scale: Scale, most: number, offset: ZoneOffset): Tick[] {
  if (axis === 'step') return wholeTicks(scale, most);
  if (axis === 'relative') {
    const values = scale.kind === 'linear' ? timeTicks(scale.min, scale.max, most) : ticksOf(scale, most);
    const labels = values.map((value) => (value === 0 ? '0' : formatDuration(value)));
    // Durations have two units at most: where a third tells ticks apart, all are seconds
    const isClear = new Set(labels).size === labels.length;
    const seconds = isClear ? labels : tickLabels(values).map((label) => `${label} s`);
    return values.map((value, i) => ({ value, label: seconds[i]! }));
  }
  const values = timeTicks(scale.min, scale.max, most, offset);
  const local = values.map((value) => value + offset(value));
  return values.map((value, i) => ({ value, label: momentLabel(local[i]!, local[i - 1] ?? Number.NaN, scale) }));
}

/** Whether no label reaches into another one or beyond the room at the ends. */
function haveRoom(ticks: readonly Tick[], scale: Scale, { wide, left, right }: LabelRoom): boolean {
  let end = -left;
  return ticks.every(({ value, label }) => {
    const at = scale.position(value) * wide;
    const half = labelWidth(label) / 2;
    const isFree = at - half >= end && at + half <= wide + right;
    end = at + half + labelGap;
    return isFree;
  });
}

/** Pixels of a label in the font of axes, rather too many: digits have one width, points and commas half of it. */
function labelWidth(label: string): number {
  let width = 0;
  for (const character of label) width += /[.,: ]/.test(character) ? 3.5 : 7;
  return width;
}

/** Pixels from a chart's left edge to its plot, for these labels of its y axis: few sizes, so that charts below one another are aligned. */
export function leftInset(labels: readonly string[]): number {
  const needed = Math.max(0, ...labels.map(labelWidth)) + 10;
  return leftInsets.find((inset) => inset >= needed) ?? leftInsets.at(-1)!;
}

/** Steps are whole: what lies between two is no place to label. */
function wholeTicks(scale: Scale, most: number): Tick[] {
  const ticks = valueTicks(scale, most);
  return ticks.every(({ value }) => Number.isInteger(value))
    ? ticks
    : labelled(ticks.flatMap(({ value }) => (Number.isInteger(value) ? [value] : [])));
}

/** The time, and where a day begins (or nothing smaller than days is shown) the day. */
function momentLabel(local: number, before: number, { min, max }: Scale): string {
  const date = new Date(local * 1000);
  if (Number.isNaN(date.getTime())) return '';
  const text = date.toISOString();
  const day = `${Number(text.slice(8, 10))} ${months[date.getUTCMonth()]}`;
  if (max - min > 4 * 86_400) return max - min > 300 * 86_400 ? `${day} ${text.slice(0, text.indexOf('-', 1))}` : day;
  const isNewDay = Math.floor(local / 86_400) !== Math.floor(before / 86_400);
  if (isNewDay && local % 86_400 === 0) return day;
  if (max - min < 2) return text.slice(11, 23).replace(/\.?0+$/, '');
  return max - min < 300 ? text.slice(11, 19) : text.slice(11, 16);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
