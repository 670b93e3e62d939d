import { leftInsets } from './chart-look.ts';
import { formatDuration, tickLabels } from './format-number.ts';
import type { Scale } from './scale.ts';
import { ticksOf, timeTicks } from './ticks.ts';
import type { XAxis } from './x-axis.ts';

/** A labeled position on an axis. */
export interface Tick {
  readonly value: number;
  readonly label: string;
}

/**
 * Ticks for values and steps. `space`: the space for labels, if they are side by side on the axis.
 */
export function valueTicks(scale: Scale, max = 5, space: LabelSpace | null = null): Tick[] {
  return fitting((count) => labelled(ticksOf(scale, count), scale), scale, max, space);
}

function labelled(values: readonly number[], scale: Scale): Tick[] {
  const labels = tickLabels(values, scale.max - scale.min);
  return values.map((value, i) => ({ value, label: labels[i]! }));
}

/**
 * How many seconds local time is ahead of UTC at a given time. This changes when daylight saving
 * time starts or ends.
 */
export type ZoneOffset = (seconds: number) => number;

/** Pixels for the labels of an x axis: along the axis, and beyond its ends. */
export interface LabelSpace {
  readonly wide: number;
  readonly left: number;
  readonly right: number;
}

/** Minimum pixels between two labels. */
const labelGap = 8;

/** Ticks for the x axis: as many as fit with their labels, at most `max`. */
export function xTicks(axis: XAxis, scale: Scale, max = 5, offset: ZoneOffset = () => 0, space: LabelSpace | null = null): Tick[] {
  return fitting((count) => ticksAlong(axis, scale, count, offset), scale, max, space);
}

/**
 * Returns the largest set of ticks, up to `max`, whose labels all fit. If no set fits completely,
 * returns as many ticks of one set as fit.
 */
function fitting(ticksOfAtMost: (max: number) => Tick[], scale: Scale, max: number, space: LabelSpace | null): Tick[] {
  const finest = ticksOfAtMost(max);
  if (!space || fit(finest, scale, space)) return finest;
  let best: Tick[] = [];
  for (let count = max; count > 0; count--) {
    const ticks = ticksOfAtMost(count);
    const kept: Tick[] = [];
    for (const tick of ticks) if (fit([...kept, tick], scale, space)) kept.push(tick);
    if (kept.length === ticks.length && kept.length > 0) return kept;
    if (kept.length > best.length) best = kept;
  }
  return best;
}

function ticksAlong(axis: XAxis, scale: Scale, max: number, offset: ZoneOffset): Tick[] {
  if (axis === 'step') return wholeTicks(scale, max);
  if (axis === 'relative') {
    const values = scale.kind === 'linear' ? timeTicks(scale.min, scale.max, max) : ticksOf(scale, max);
    const labels = values.map((value) => (value === 0 ? '0' : formatDuration(value)));
    // Durations have at most two units and are rounded. If that would be inexact, all labels are in
    // seconds.
    const isTrue = labels.every((label, i) => Math.abs(durationOf(label) - values[i]!) <= Math.abs(values[i]!) * 1e-9);
    if (isTrue) return values.map((value, i) => ({ value, label: labels[i]! }));
    return labelled(values, scale).map(({ value, label }) => ({ value, label: value === 0 ? '0' : `${label} s` }));
  }
  if (axis !== 'wall') return labelled(ticksOf(scale, max), scale);
  const values = timeTicks(scale.min, scale.max, max, offset);
  const labels = momentLabels(
    values.map((value) => value + offset(value)),
    scale,
  );
  return values.map((value, i) => ({ value, label: labels[i]! }));
}

/** The number of seconds that a duration label represents. */
function durationOf(label: string): number {
  const seconds = { d: 86_400, h: 3_600, min: 60, s: 1 } as const;
  let sum = 0;
  for (const [, number, unit] of label.matchAll(/([\d.]+) (d|h|min|s)\b/g)) sum += Number(number) * seconds[unit as keyof typeof seconds];
  return label.startsWith('−') ? -sum : sum;
}

/** Whether no label overlaps another one or exceeds the space at the ends. */
function fit(ticks: readonly Tick[], scale: Scale, { wide, left, right }: LabelSpace): boolean {
  let end = -left;
  return ticks.every(({ value, label }) => {
    const at = scale.position(value) * wide;
    const half = labelWidth(label) / 2;
    const isFree = at - half >= end && at + half <= wide + right;
    end = at + half + labelGap;
    return isFree;
  });
}

/**
 * The width of a label in the axis font, in pixels, rounded up. All digits have the same width;
 * periods and commas are half as wide.
 */
export function labelWidth(label: string): number {
  let width = 0;
  for (const character of label) width += /[.,: ]/.test(character) ? 3.5 : 7;
  return width;
}

/**
 * Pixels from a chart's left edge to its plot, for these labels on its y axis. There are only a few
 * possible sizes, so that charts below each other align.
 */
export function leftInset(labels: readonly string[]): number {
  const needed = Math.max(0, ...labels.map(labelWidth)) + 10;
  return leftInsets.find((inset) => inset >= needed) ?? leftInsets.at(-1)!;
}

/** Steps are whole numbers: positions between them have no label. */
function wholeTicks(scale: Scale, max: number): Tick[] {
  const ticks = valueTicks(scale, max);
  return ticks.every(({ value }) => Number.isInteger(value))
    ? ticks
    : labelled(
        ticks.flatMap(({ value }) => (Number.isInteger(value) ? [value] : [])),
        scale,
      );
}

/** Labels the times on an axis. At the start of a day, or if all ticks are days, shows the day. */
function momentLabels(local: readonly number[], { min, max }: Scale): string[] {
  const width = max - min;
  const gap = Math.min(width, ...local.slice(1).map((moment, i) => moment - local[i]!));
  // A day can have 23 hours
  const isDays = width > 4 * day && gap > 22 * hour;
  const digits = width < 2 ? secondDigits(local, gap) : 0;
  return local.map((moment, i) => {
    const seconds = Math.floor(moment);
    const fraction = Math.round((moment - seconds) * 10 ** digits);
    const date = new Date((fraction === 10 ** digits ? seconds + 1 : seconds) * 1000);
    if (Number.isNaN(date.getTime())) return '';
    const text = date.toISOString();
    const dayText = `${date.getUTCDate()} ${months[date.getUTCMonth()]}`;
    if (isDays) return width > 300 * day ? `${dayText} ${text.slice(0, text.indexOf('-', 1))}` : dayText;
    const isNewDay = Math.floor(moment / day) !== Math.floor((local[i - 1] ?? Number.NaN) / day);
    if (isNewDay && moment % day === 0) return dayText;
    const clock = text.slice(text.indexOf('T') + 1);
    if (width >= 2) return width < 300 ? clock.slice(0, 8) : clock.slice(0, 5);
    return `${clock.slice(0, 8)}.${String(fraction % 10 ** digits).padStart(digits, '0')}`.replace(/\.0*$|(\.\d*?)0+$/, '$1');
  });
}

const hour = 3_600;
const day = 86_400;

/**
 * The number of decimals (of seconds) that distinguish the ticks; float64 has seven for current
 * times.
 */
function secondDigits(local: readonly number[], gap: number): number {
  const max = 7;
  for (let digits = 0; digits < max; digits++) {
    const isEnough = (moment: number): boolean => {
      const scaled = (moment - Math.floor(moment)) * 10 ** digits;
      return Math.abs(scaled - Math.round(scaled)) <= (gap / 100) * 10 ** digits;
    };
    if (local.every(isEnough)) return digits;
  }
  return max;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
