/** google.protobuf.Timestamp can name these years: 1 to 9999. */
const firstSecond = -62_135_596_800;
const lastSecond = 253_402_300_799;
const nanosInSecond = 1_000_000_000;

/** A Timestamp's two numbers. */
export interface SecondsAndNanos {
  readonly seconds: number;
  /** From 0 to 999,999,999. */
  readonly nanos: number;
}

/** A wall time (seconds since 1970) to the nanosecond; what a Timestamp cannot name is its first or last moment, and no number at all is 1970. */
export function timestampOf(wallTime: number): SecondsAndNanos {
  if (Number.isNaN(wallTime)) return { seconds: 0, nanos: 0 };
  const seconds = Math.floor(wallTime);
  if (seconds < firstSecond) return { seconds: firstSecond, nanos: 0 };
  if (seconds > lastSecond) return { seconds: lastSecond, nanos: nanosInSecond - 1 };
  const nanos = Math.round((wallTime - seconds) * nanosInSecond);
  return nanos === nanosInSecond ? { seconds: seconds + 1, nanos: 0 } : { seconds, nanos };
}
