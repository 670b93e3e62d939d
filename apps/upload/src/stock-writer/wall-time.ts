import type { Timestamp } from '#protocols';

/**
 * Seconds since the epoch, as in the event file. The client split that float into whole seconds and
 * nanoseconds, which represent it exactly. It may round a fraction up to a full second of
 * nanoseconds, which is accepted. 0 if there is no time, as for an event without a time.
 */
export function wallTimeOf(time: Timestamp | null): number {
  return time === null ? 0 : Number(time.seconds) + time.nanos / 1e9;
}
