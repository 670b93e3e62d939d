const minStep = -(2n ** 63n);
const maxStep = 2n ** 63n - 1n;
const words: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  '-nan': Number.NaN,
  inf: Infinity,
  '+inf': Infinity,
  '-inf': -Infinity,
  infinity: Infinity,
  '+infinity': Infinity,
  '-infinity': -Infinity,
};
const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * The number in a cell of a table; null: there is none. Integers beyond 2^53 become the nearest
 * float64.
 */
export function numberOf(cell: unknown): number | null {
  if (typeof cell === 'number') return cell;
  if (typeof cell === 'bigint') return Number(cell);
  if (typeof cell !== 'string') return null;
  const text = cell.trim();
  return decimal.test(text) ? Number(text) : (words[text.toLowerCase()] ?? null);
}

/** The step in a cell; null: it is not a whole number of 64 bits. */
export function stepOf(cell: unknown): bigint | null {
  let step: bigint;
  if (typeof cell === 'bigint') step = cell;
  else if (typeof cell === 'string' && /^[+-]?\d+$/.test(cell.trim())) step = BigInt(cell.trim().replace(/^\+/, ''));
  else {
    const value = numberOf(cell);
    if (value === null || !Number.isInteger(value)) return null;
    step = BigInt(value);
  }
  return step >= minStep && step <= maxStep ? step : null;
}

/** Seconds since 1970 in a cell: a number in the unit of the table, or a date; null: neither. */
export function timeOf(cell: unknown, unitsPerSecond: number): number | null {
  if (cell instanceof Date) return cell.getTime() / 1000;
  const value = numberOf(cell);
  if (value !== null) return value / unitsPerSecond;
  if (typeof cell !== 'string') return null;
  return dateOf(cell);
}

/** A date of ISO 8601 with up to nanoseconds, in UTC unless it says otherwise, as seconds. */
export function dateOf(text: string): number | null {
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d{1,9})?\s*(Z|[+-]\d\d:?\d\d)?)?$/.exec(text.trim());
  if (!match) return null;
  const [, day, time = '00:00', fraction = '', zone = 'Z'] = match;
  const whole = Date.parse(`${day}T${time}${zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`);
  return Number.isNaN(whole) ? null : whole / 1000 + Number(`0${fraction}`);
}
