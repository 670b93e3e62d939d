import { randomInt } from 'node:crypto';
import type { ExperimentId, TenantId } from '#model';

/** How many ids share a prefix. */
export const idsPerPrefix = 2 ** 16;
/** Ids below 2^40 are reserved for the tables' sequences, which older versions use. */
export const firstPrefix = 2 ** 24;
/** Ids remain below 2^49, because tail blocks write numbers of at most 15 digits as numbers. */
export const endPrefix = 2 ** 33;

/**
 * The group of rows that get consecutive ids: the rows of an experiment, or of a workspace's audit
 * log.
 */
export type Neighborhood = ExperimentId | TenantId;

/** How many prefixes are remembered. They take about 3 MB. */
const maxNeighborhoods = 20_000;

/**
 * Maximum attempts to insert a row. Even a second attempt is needed less than once in 10,000
 * experiments.
 */
const maxAttempts = 5;

/**
 * Generates ids for runs, event files, series and audit entries: a random prefix for each
 * experiment, then a count. So IDs reveal nothing about other workspaces or experiments, an
 * experiment's rows are neighbors in indexes, and processes need no coordination. If two processes
 * draw the same prefix, the table's key rejects the row, and the caller uses another ID
 * (`retryIds`).
 */
export class RowIds {
  readonly #draw: (neighborhood: Neighborhood) => number;
  /** The next ID in each neighborhood, least recently used first. */
  readonly #next = new Map<Neighborhood, number>();

  /** `draw` is for tests. It returns a prefix from `firstPrefix` to below `endPrefix`. */
  constructor(draw: (neighborhood: Neighborhood) => number = () => randomInt(firstPrefix, endPrefix)) {
    this.#draw = draw;
  }

  /**
   * The first of `count` consecutive ids. If there are more than `idsPerPrefix`, they continue into
   * the next prefixes, where conflicts are detected as for equal prefixes.
   */
  take(neighborhood: Neighborhood, count = 1): number {
    let first = this.#next.get(neighborhood);
    this.#next.delete(neighborhood);
    if (first === undefined || (first % idsPerPrefix) + count > idsPerPrefix) first = this.#draw(neighborhood) * idsPerPrefix;
    const next = first + count;
    if (next < first - (first % idsPerPrefix) + idsPerPrefix) this.#remember(neighborhood, next);
    return first;
  }

  /** Makes the neighborhood's next id start a new prefix. */
  forget(neighborhood: Neighborhood): void {
    this.#next.delete(neighborhood);
  }

  #remember(neighborhood: Neighborhood, next: number): void {
    this.#next.set(neighborhood, next);
    if (this.#next.size > maxNeighborhoods) this.#next.delete(this.#next.keys().next().value!);
  }
}

/** Generates the IDs for this thread. */
export const rowIds = new RowIds();

/**
 * Calls `insert` until it returns a result. `insert` gets IDs, inserts with `on conflict do
 * nothing`, and returns undefined if a row was not inserted and no other key explains this. In that
 * case, another process has drawn the same prefix. Throws after five attempts, which only a bug can
 * cause.
 */
export async function retryIds<T>(ids: RowIds, neighborhood: Neighborhood, insert: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const result = await insert();
    if (result !== undefined) return result;
    ids.forget(neighborhood);
  }
  throw new Error(`no free ids after ${maxAttempts} attempts`);
}
