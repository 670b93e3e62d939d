/**
 * Milliseconds: the time of day of this machine less its stopwatch, which nobody sets and which stands still while the machine sleeps or a virtual one is paused. It stays
 * as it is while both go on; it changes when the time of day is set, and when that goes on after a sleep.
 */
export function timeOfDayLessStopwatch(): number {
  return Date.now() - performance.now();
}
