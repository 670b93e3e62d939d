/** Pauses between tries that grow from one bound to the other, twice as long each time. In milliseconds. */
export interface Patience {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** The pause after so many failures in a row, in milliseconds. */
export function pause(failures: number, { firstMs, maxMs }: Patience): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1));
}

/** How many tries have to fail in a row so that the pauses between them are at least `forMs` together. At least two. */
export function triesFor(forMs: number, patience: Patience): number {
  let tries = 1;
  for (let waited = 0; waited < forMs; tries++) waited += pause(tries, patience);
  return Math.max(2, tries);
}
