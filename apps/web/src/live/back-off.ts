/** The longest pause between two tries, milliseconds. */
const mostMs = 60_000;

/**
 * How long to wait after so many failures in a row (1 for the first), milliseconds: 1, 2, 4 … 60 s, each time up to half of it less, so that all the pages that lost
 * a server do not come back at once.
 */
export function backOffMs(failures: number, random: () => number = Math.random): number {
  return Math.min(mostMs, 1_000 * 2 ** (failures - 1)) * (1 - random() / 2);
}
