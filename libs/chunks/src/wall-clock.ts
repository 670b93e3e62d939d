/**
 * The year 2112. Up to here, the difference of any two times, and the range of those differences,
 * are exact in a double.
 */
const maxMicroseconds = 2 ** 52 - 1;

/**
 * The whole number k for which `wallTime` (seconds) is exactly the float64 k / 1e6, or NaN if there
 * is none between 1970 and 2112 (−0 has none). TensorFlow's clock counts microseconds, so its wall
 * times have such a k; the wall times of Python's `time.time()` have none.
 */
export function exactMicroseconds(wallTime: number): number {
  const microseconds = Math.round(wallTime * 1e6);
  if (microseconds / 1e6 !== wallTime) return Number.NaN;
  if (microseconds > maxMicroseconds || microseconds < 0) return Number.NaN;
  return microseconds === 0 && Object.is(wallTime, -0) ? Number.NaN : microseconds;
}
