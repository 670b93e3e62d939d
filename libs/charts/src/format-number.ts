/**
 * Tick labels: SI letters for thousands, a power of ten if the numbers are tiny or huge, and enough
 * digits to read each label back as its tick. No two ticks have the same label. `range`: the width
 * of the axis, which determines the precision of a single tick.
 */
export function tickLabels(ticks: readonly number[], range = Infinity): string[] {
  const areTrue = (labels: readonly string[]): boolean => sayTicks(labels, ticks, range);
  const short = shortLabels(ticks);
  if (areTrue(short) && lengthOf(short) <= maxShort) return short;
  const fixed = fixedLabels(ticks, areTrue);
  const power = exponentialLabels(ticks, areTrue);
  if (!fixed || !power) return fixed ?? power ?? ticks.map(formatExact);
  return ticks.every(Number.isInteger) || lengthOf(fixed) <= lengthOf(power) + 4 ? fixed : power;
}

/** Long labels are easier to read with all their digits. */
const maxShort = 9;

function lengthOf(labels: readonly string[]): number {
  return Math.max(...labels.map((label) => label.length));
}

function shortLabels(ticks: readonly number[]): string[] {
  const largest = Math.max(...ticks.map(Math.abs));
  const step = smallestGap(ticks) || largest || 1;
  if (largest >= 1e15 || (largest > 0 && largest < 1e-3) || (largest < 10 && step < 1e-6))
    return ticks.map((tick) => exponential(tick, step));
  // Powers of ten have no common unit
  if (ticks.some((tick) => tick !== 0 && Math.abs(tick) < largest / 50)) return ticks.map((tick) => plain(tick));
  if (largest >= 1e3 && largest < 1e4 && step % 1e3 !== 0) return ticks.map((tick) => minus(grouped.format(tick)));
  const [unit, letter] = units.find(([size]) => largest >= size) ?? [1, ''];
  const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step / unit) + 1e-9)));
  const enough = [digits, digits + 1].find((count) => ticks.every((tick) => isShown(tick / unit, count))) ?? digits + 1;
  return ticks.map((tick) => (tick === 0 ? '0' : minus((tick / unit).toFixed(enough)) + letter));
}

/** All digits up to the last one that distinguishes ticks; null if there are too many. */
function fixedLabels(ticks: readonly number[], areTrue: (labels: readonly string[]) => boolean): string[] | null {
  if (ticks.some((tick) => Math.abs(tick) >= 1e21)) return null;
  for (let digits = 0; digits <= 20; digits++) {
    const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
    const labels = ticks.map((tick) => minus(format.format(exactly(tick))));
    if (areTrue(labels)) return labels;
  }
  return null;
}

function exponentialLabels(ticks: readonly number[], areTrue: (labels: readonly string[]) => boolean): string[] | null {
  for (let digits = 1; digits <= 17; digits++) {
    const labels = ticks.map((tick) => (tick === 0 ? '0' : minus(tidy(tick.toExponential(digits)))));
    if (areTrue(labels)) return labels;
  }
  return null;
}

/**
 * Whether each label represents its tick, to a hundredth of the distance to the next tick (for a
 * single tick, of the axis length), and no two labels are equal.
 */
function sayTicks(labels: readonly string[], ticks: readonly number[], range: number): boolean {
  const gap = smallestGap(ticks);
  const isClose = (label: string, tick: number): boolean =>
    Math.abs(labelValue(label) - tick) <= (gap > 0 ? gap / 100 : Math.min(range / 100, Math.abs(tick) * 1e-6));
  return new Set(labels).size === labels.length && labels.every((label, i) => isClose(label, ticks[i]!));
}

function labelValue(label: string): number {
  const [, number = '', letter = ''] = /^(.*?)([kMGT]?)$/.exec(label.replaceAll(',', '').replace('−', '-')) ?? [];
  return Number(number) * (units.find(([, one]) => one === letter)?.[0] ?? 1);
}

/**
 * A value for display: at most six significant digits, no trailing zeros. Integers have all their
 * digits.
 */
export function formatValue(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e9 || size < 1e-4) {
    const short = value.toExponential(4);
    return Number.isInteger(value) && size < 1e21 && Number(short) !== value ? minus(grouped.format(exactly(value))) : minus(tidy(short));
  }
  if (size >= 1e5) return minus(grouped.format(Math.round(value * 100) / 100));
  return minus(tidy(value.toPrecision(6)));
}

/**
 * Both ends of a range, with enough digits to distinguish them: six, or more if the range is
 * narrow.
 */
export function formatRange(from: number, to: number): readonly [string, string] {
  for (let digits = 6; digits < 17 && from !== to; digits++) {
    const [left, right] = [Number(from.toPrecision(digits)), Number(to.toPrecision(digits))];
    // If the width is accurate to two digits, so are both ends
    if (Math.abs(right - left - (to - from)) <= Math.abs(to - from) / 50)
      return digits === 6 ? [formatValue(from), formatValue(to)] : [formatExact(left), formatExact(right)];
  }
  return from === to ? [formatValue(from), formatValue(to)] : [formatExact(from), formatExact(to)];
}

/**
 * A value in full, with the digits that distinguish it from all other values of the precision in
 * which it was logged. Integers have all their digits. A value that float32 can represent was most
 * likely logged as float32, and needs at most nine digits.
 */
export function formatExact(value: number): string {
  if (!Number.isFinite(value)) return formatValue(value);
  return inFull(shortest(value));
}

function inFull(value: number): string {
  return minus(String(Math.abs(value) < 1e21 ? exactly(value) : value).replace('e+', 'e'));
}

/**
 * A hyperparameter in full, as float64: a rounded seed or id would be a different one. NaN and
 * infinities are strings, because JSON lacks them.
 */
export function formatHparam(value: string | number | boolean): string {
  const number = hparamNumber(value);
  if (number === null) return String(value);
  return Number.isFinite(number) ? inFull(number) : formatValue(number);
}

/** The number that a hyperparameter represents; null if it is not a number. */
export function hparamNumber(value: string | number | boolean): number | null {
  if (typeof value === 'number') return value;
  return value === 'NaN' || value === 'Infinity' || value === '-Infinity' ? Number(value) : null;
}

/** Values for display, in full if two different values would look the same. */
export function formatDistinct(values: readonly number[]): string[] {
  const texts = values.map(formatValue);
  const byText = Map.groupBy(values, formatValue);
  return texts.map((text, i) => (new Set(byText.get(text)).size > 1 ? formatExact(values[i]!) : text));
}

/**
 * Values in a column, with the same number of decimals, so that they can be compared at a glance.
 * The largest value has five significant digits. If the values are close together, shows two digits
 * of their range, but no more digits than they have.
 */
export function formatColumn(values: readonly number[]): string[] {
  const finite = values.filter(Number.isFinite);
  const sizes = finite.map(Math.abs).filter((size) => size > 0);
  const largest = Math.max(...sizes);
  const smallest = Math.min(...sizes);
  const range = Math.max(...finite) - Math.min(...finite);
  const isNarrow = range > 0 && range < largest / 1e3;
  if (sizes.length === 0 || smallest < largest / 1e4) return formatDistinct(values);
  if (!isNarrow && (largest >= 1e9 || largest < 1e-3)) return formatDistinct(values);
  if (largest >= 1e21 || largest < 1e-6) return values.map(formatExact);
  const usual = Math.max(0, 4 - Math.floor(Math.log10(largest)));
  const wanted = isNarrow ? Math.max(usual, 1 - Math.floor(Math.log10(range))) : usual;
  const digits = Math.min(wanted, Math.max(usual, ...finite.map(decimalsOf)), 20);
  const format = new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return values.map((value) => (Number.isFinite(value) ? minus(format.format(value)) : formatValue(value)));
}

/** The number of decimals of a value shown in full. */
function decimalsOf(value: number): number {
  const [number = '', power = '0'] = formatExact(value).split('e');
  return Math.max(0, (number.split('.')[1] ?? '').length - Number(power));
}

/** A step or a count, with thousands separators: 12,000. */
export function formatCount(value: number | string): string {
  return minus(grouped.format(typeof value === 'string' ? BigInt(value) : exactly(value)));
}

/** A count with its noun: 1 point, 12,000 points. */
export function countText(count: number | string, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${Number(count) === 1 ? noun : plural}`;
}

/** A short count: 812, 1.2 k, 3.4 M. */
export function formatShort(value: number): string {
  const found = [...units].reverse().find(([size]) => value < size * 999.5) ?? units[0]!;
  const [unit, letter] = value < 1000 ? [1, ''] : found;
  const scaled = value / unit;
  return letter === '' ? String(Math.round(scaled)) : `${scaled.toFixed(scaled < 9.95 ? 1 : 0).replace(/\.0$/, '')} ${letter}`;
}

/** A duration: 0.5 s, 42 s, 3 min 20 s, 2 h 5 min, 3 d 4 h. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 0) return `−${formatDuration(-seconds)}`;
  if (seconds < 10) return `${tidy(seconds.toFixed(seconds < 1 ? 3 : 1))} s`;
  const whole = Math.round(seconds);
  const index = lengths.findIndex(([length]) => whole >= length);
  const [length, name] = lengths[index]!;
  const [nextLength, nextName] = lengths[index + 1] ?? [0, ''];
  const rest = nextLength > 0 ? Math.floor((whole % length) / nextLength) : 0;
  return `${Math.floor(whole / length)} ${name}${rest > 0 ? ` ${rest} ${nextName}` : ''}`;
}

/**
 * An integer with all its digits: beyond 2^53, a number is normally written only with the digits
 * that distinguish it from its neighbors.
 */
function exactly(value: number): number | bigint {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value;
}

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const units: readonly (readonly [number, string])[] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];
const lengths: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
];

function shortest(value: number): number {
  if (Number.isInteger(value) || Math.fround(value) !== value) return value;
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
}

function smallestGap(ticks: readonly number[]): number {
  let gap = Infinity;
  for (let i = 1; i < ticks.length; i++) gap = Math.min(gap, Math.abs(ticks[i]! - ticks[i - 1]!));
  return Number.isFinite(gap) ? gap : 0;
}

function isShown(value: number, digits: number): boolean {
  return Math.abs(Number(value.toFixed(digits)) - value) <= Math.abs(value) * 1e-9;
}

function plain(value: number): string {
  const size = Math.abs(value);
  const unit = units.find(([one]) => size >= one);
  if (unit) return minus(tidy((value / unit[0]).toFixed(2))) + unit[1];
  return size > 0 && size < 1e-3 ? exponential(value, size) : minus(String(Number(value.toPrecision(6))));
}

function exponential(value: number, step: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, Math.min(6, Math.floor(Math.log10(Math.abs(value))) - Math.floor(Math.log10(step) + 1e-9)));
  const isEnough = Math.abs(Number(value.toExponential(digits)) - value) <= Math.abs(value) * 1e-9; // not of 2.5e31 among its multiples
  return minus(tidy(value.toExponential(isEnough ? digits : digits + 1)));
}

/** Removes trailing zeros, and turns `e-07` into `e-7`. */
function tidy(text: string): string {
  const [number, power] = text.split('e') as [string, string?];
  const short = number.includes('.') ? number.replace(/\.?0+$/, '') : number;
  return power === undefined ? short : `${short}e${power.replace('+', '')}`;
}

function minus(text: string): string {
  return text.replaceAll('-', '−').replace('e−', 'e-');
}
