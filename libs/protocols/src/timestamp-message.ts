/**
 * The largest float64 that fits in an int64. By definition, a Timestamp ends with the year 9999,
 * but logged values can be later, and clients do not check.
 */
const lastSecond = 2 ** 63 - 1024;
const nanosInSecond = 1_000_000_000;

/** A Timestamp's two numbers. */
export interface SecondsAndNanos {
  readonly seconds: number;
  /** From 0 to 999,999,999. */
  readonly nanos: number;
}

/**
 * A wall time (seconds since 1970) to the nanosecond; values beyond 64 bits become the first or
 * last possible second, and NaN becomes 1970.
 */
export function timestampOf(wallTime: number): SecondsAndNanos {
  if (Number.isNaN(wallTime)) return { seconds: 0, nanos: 0 };
  const seconds = Math.floor(wallTime);
  if (Math.abs(seconds) > lastSecond) return { seconds: Math.sign(seconds) * lastSecond, nanos: 0 };
  const nanos = Math.round((wallTime - seconds) * nanosInSecond);
  return nanos === nanosInSecond ? { seconds: seconds + 1, nanos: 0 } : { seconds, nanos };
}
