/**
 * Milliseconds: the machine's time of day minus its monotonic clock, which cannot be set, and which
 * stops while the machine sleeps or a virtual one is paused. Constant while both run; changes when
 * the time of day is set, or after a sleep.
 */
export function timeOfDayLessStopwatch(): number {
  return Date.now() - performance.now();
}
