/** 2^50 µs is the year 37,648; larger times are kept by their bits. */
const maxMicroseconds = 2 ** 50;

/**
 * The whole number k for which `wallTime` (seconds) is exactly the float64 k / 1e6, or NaN where there is none (−0 has none). TensorFlow's
 * clock counts microseconds, so its wall times have one; Python's `time.time()` counts nanoseconds, and its have none.
 */
export function exactMicroseconds(wallTime: number): number {
  const microseconds = Math.round(wallTime * 1e6);
  if (microseconds / 1e6 !== wallTime) return Number.NaN;
  if (microseconds > maxMicroseconds || microseconds < -maxMicroseconds) return Number.NaN;
  return microseconds === 0 && Object.is(wallTime, -0) ? Number.NaN : microseconds;
}
