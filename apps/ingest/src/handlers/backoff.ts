/**
 * Bounds of the backoff between attempts, in milliseconds. The delay doubles from `firstMs` up to
 * `maxMs`.
 */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** The delay after this many consecutive failures, in milliseconds. */
export function pause(failures: number, { firstMs, maxMs }: Backoff): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1));
}

/**
 * The number of consecutive failures, at least two, after which the delays add up to at least
 * `forMs`.
 */
export function triesFor(forMs: number, backoff: Backoff): number {
  let tries = 1;
  for (let waited = 0; waited < forMs; tries++) waited += pause(tries, backoff);
  return Math.max(2, tries);
}
