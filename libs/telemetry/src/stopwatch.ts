/**
 * The machine's time of day minus its monotonic clock, in milliseconds. The monotonic clock cannot
 * be set, and stops while the machine sleeps or a virtual machine is paused. The difference is
 * constant while both clocks run; it changes when the time of day is set, or after a sleep.
 */
export function timeOfDayLessStopwatch(): number {
  return Date.now() - performance.now();
}
