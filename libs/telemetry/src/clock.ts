/** The time, handed in so that tests can say what it is. */
export interface Clock {
  /** Time of day, for what is stored and shown. */
  now(): Date;
  /** Milliseconds since any fixed moment; never goes back. For measuring and waiting. */
  monotonicMs(): number;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
