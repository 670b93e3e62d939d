import type { Clock } from '#telemetry';

/** A clock that stands until it is told to go on. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

/** Starts at `start`, by default a fixed moment. */
export function manualClock(start = new Date('2026-01-02T03:04:05Z')): ManualClock {
  let passedMs = 0;
  return {
    now: () => new Date(start.getTime() + passedMs),
    monotonicMs: () => passedMs,
    advance: (ms) => {
      if (ms < 0) throw new Error('Time does not go back.');
      passedMs += ms;
    },
  };
}
