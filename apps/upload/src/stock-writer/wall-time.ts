import type { Timestamp } from '#protocols';

/**
 * Seconds since the epoch, as the event file had them: the client split that float into whole seconds and nanoseconds, which say it exactly. It may round a
 * fraction up to a whole second of nanoseconds; that is taken for what it means. Without a time: 0, as an event without one.
 */
export function wallTimeOf(time: Timestamp | null): number {
  return time === null ? 0 : Number(time.seconds) + time.nanos / 1e9;
}
