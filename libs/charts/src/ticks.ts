import type { Scale } from './scale.ts';

/** The labeled values of an axis: at most `max` round values, all inside the axis. */
export function ticksOf(scale: Scale, max = 5): number[] {
  if (!(scale.max > scale.min) || !Number.isFinite(scale.max - scale.min)) return Number.isFinite(scale.min) ? [scale.min] : [];
  if (scale.kind === 'log') return logTicks(scale.min, scale.max, max);
  if (scale.kind === 'symlog') return symlogTicks(scale, max);
  return linearTicks(scale.min, scale.max, max);
}

/** Multiples of 1, 2, 2.5 or 5 times a power of ten. */
export function linearTicks(min: number, max: number, limit: number): number[] {
  const rough = (max - min) / limit;
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 2.5, 5, 10, 20]) {
    const step = factor * power;
    const first = Math.ceil(min / step - 1e-9);
    const last = Math.floor(max / step + 1e-9);
    if (last - first < limit) return multiples(first, last, step);
  }
  return [];
}

/** Products lose fewer digits than sums; rounding to the step's digits removes spurious digits. */
function multiples(first: number, last: number, step: number): number[] {
  const digits = Math.min(100, Math.max(0, 1 - Math.floor(Math.log10(step))));
  const values = Array.from({ length: last - first + 1 }, (_, i) => {
    const value = (first + i) * step;
    return digits > 0 ? Number(value.toFixed(digits)) : value;
  });
  return values.filter((value, i) => value !== values[i - 1]); // far from 0, several may be the same number
}

/**
 * Powers of ten. Over less than two decades, also 2 and 5 times these, if they fit. Over an even
 * smaller range, round numbers.
 */
function logTicks(min: number, max: number, limit: number): number[] {
  const first = Math.ceil(Math.log10(min) - 1e-9);
  const last = Math.floor(Math.log10(max) + 1e-9);
  if (last - first >= 2) return everyNth(first, last, limit).map((power) => 10 ** power);
  const powers = Array.from({ length: last - first + 2 }, (_, i) => 10 ** (first - 1 + i));
  for (const factors of [[1, 2, 5], [1, 5], [1]]) {
    const inside = powers.flatMap((power) => factors.map((factor) => factor * power)).filter((value) => value >= min && value <= max);
    if (inside.length < 2) break;
    if (inside.length <= limit) return inside;
  }
  return linearTicks(min, max, limit);
}

/** 0 and powers of ten on both sides of it, thinned out equally. */
function symlogTicks(scale: Scale, max: number): number[] {
  const unit = scale.inverse(1); // about where the axis becomes logarithmic
  const sided = (end: number): number[] => {
    const first = Math.ceil(Math.log10(unit) - 1e-9);
    const last = Math.floor(Math.log10(Math.abs(end)) + 1e-9);
    return last < first ? [] : everyNth(first, last, Math.max(1, Math.floor(max / 2))).map((power) => 10 ** power);
  };
  const above = scale.max > 0 ? sided(scale.max) : [];
  const below =
    scale.min < 0
      ? sided(scale.min)
          .map((value) => -value)
          .reverse()
      : [];
  const all = [...below, ...(scale.min <= 0 && scale.max >= 0 ? [0] : []), ...above];
  const inside = all.filter((value) => value >= scale.min && value <= scale.max);
  return inside.length >= 2 && inside.length <= max + 1 ? inside : linearTicks(scale.min, scale.max, max);
}

function everyNth(first: number, last: number, max: number): number[] {
  const step = Math.max(1, Math.ceil((last - first + 1) / max));
  const list: number[] = [];
  for (let value = Math.ceil(first / step) * step; value <= last; value += step) list.push(value);
  return list;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const durations = [1, 2, 5, 10, 15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute].concat([
  hour,
  2 * hour,
  3 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  7 * day,
  14 * day,
  28 * day,
]);

/**
 * Ticks for an axis of seconds: whole seconds, minutes, hours, days. `offset`: seconds that local
 * time is ahead, for absolute times.
 */
export function timeTicks(min: number, max: number, limit = 5, offset: (seconds: number) => number = () => 0): number[] {
  const [from, to] = [min + offset(min), max + offset(max)];
  const step = durations.find((one) => Math.floor(to / one) - Math.ceil(from / one) < limit);
  if (step === undefined) return linearTicks(min / day, max / day, limit).map((value) => value * day);
  if (max - min < 2) return linearTicks(min, max, limit);
  // When the clocks change, an hour of local time occurs twice, or not at all
  const local = Array.from({ length: Math.floor(to / step) - Math.ceil(from / step) + 1 }, (_, i) => (Math.ceil(from / step) + i) * step);
  const values = local.map((moment) => utcOf(moment, offset)).filter((value) => value >= min && value <= max);
  return values.filter((value, i) => i === 0 || value > values[i - 1]!);
}

/** The time at which a local clock shows `local`; if it never does, the time after that. */
function utcOf(local: number, offset: (seconds: number) => number): number {
  const early = local - offset(local - offset(local));
  return early + offset(early) === local ? early : local - offset(local);
}
