/** Maximum delay between two attempts, in milliseconds. */
const maxMs = 60_000;

/**
 * The delay after this many consecutive failures (1 for the first), in milliseconds: 1, 2, 4 … 60
 * s. Each delay is reduced by up to half at random, so that pages that lost the same server do not
 * all reconnect at the same time.
 */
export function backOffMs(failures: number, random: () => number = Math.random): number {
  return Math.min(maxMs, 1_000 * 2 ** (failures - 1)) * (1 - random() / 2);
}
