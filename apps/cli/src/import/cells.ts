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

/** Why a cell has no value: it cannot be parsed, or its number does not fit the type. */
type CellFault = 'malformed' | 'out of range';

/** A cell whose number is too large for float64. */
export const tooLarge = Symbol('too large for float64');

/**
 * The number in a cell of a table. Integers beyond 2^53 become the nearest float64. A finite number
 * that would become infinite is out of range; floats and strings that mean infinity are infinite.
 */
export function numberOf(cell: unknown): number | CellFault {
  if (typeof cell === 'number') return cell;
  if (cell === tooLarge) return 'out of range';
  if (typeof cell === 'bigint') return finite(Number(cell));
  if (typeof cell !== 'string') return 'malformed';
  const text = cell.trim();
  return decimal.test(text) ? finite(Number(text)) : (words[text.toLowerCase()] ?? 'malformed');
}

function finite(value: number): number | CellFault {
  return Number.isFinite(value) ? value : 'out of range';
}

/** The step in a cell: a whole number that fits int64. */
export function stepOf(cell: unknown): bigint | CellFault {
  let step: bigint;
  const digits = typeof cell === 'string' ? /^([+-]?)0*(\d+)$/.exec(cell.trim()) : null;
  if (typeof cell === 'bigint') step = cell;
  else if (digits) {
    // Parsing a long integer takes time.
    if (digits[2]!.length > 19) return 'out of range';
    step = BigInt(digits[2]!) * (digits[1] === '-' ? -1n : 1n);
  } else {
    const value = numberOf(cell);
    if (typeof value === 'string') return value;
    if (!Number.isInteger(value)) return 'malformed';
    step = BigInt(value);
  }
  return step >= minStep && step <= maxStep ? step : 'out of range';
}

/** Seconds since 1970 in a cell: a number in the unit of the table, or a date. */
export function timeOf(cell: unknown, unitsPerSecond: number): number | CellFault {
  if (cell instanceof Date) return cell.getTime() / 1000;
  const value = numberOf(cell);
  if (typeof value === 'number') return value / unitsPerSecond;
  return value === 'malformed' && typeof cell === 'string' ? (dateOf(cell) ?? value) : value;
}

/**
 * The seconds of an ISO 8601 date with up to nanosecond precision, in UTC unless it names another
 * time zone.
 */
export function dateOf(text: string): number | null {
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d{1,9})?\s*(Z|[+-]\d\d:?\d\d)?)?$/.exec(text.trim());
  if (!match) return null;
  const [, day, time = '00:00', fraction = '', zone = 'Z'] = match;
  const whole = Date.parse(`${day}T${time}${zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`);
  return Number.isNaN(whole) ? null : whole / 1000 + Number(`0${fraction}`);
}
