import { randomInt } from 'node:crypto';
import type { ExperimentId, TenantId } from '#model';

/** Ids that share a prefix. */
export const idsPerPrefix = 2 ** 16;
/** Ids below 2^40 are left to the sequences of the tables, which older versions use. */
export const firstPrefix = 2 ** 24;
/** Ids stay below 2^49: tail blocks write numbers of at most 15 digits as numbers. */
export const endPrefix = 2 ** 33;

/** Rows that get consecutive ids: those of an experiment, or of the audit log of a workspace. */
export type Neighborhood = ExperimentId | TenantId;

/** Prefixes that are remembered; about 3 MB. */
const maxNeighborhoods = 20_000;

/** Attempts to insert a row. Even the second one is needed less than once in 10,000 experiments. */
const maxAttempts = 5;

/**
 * Makes ids of runs, event files, series and audit entries: a random prefix for each experiment,
 * then a count. So ids say nothing about other workspaces or experiments, rows of an experiment are
 * neighbors in indexes, and no process asks another one. Two processes can draw the same prefix:
 * then the key of the table rejects the row, and the caller takes another id (`retryIds`).
 */
export class RowIds {
  readonly #draw: (neighborhood: Neighborhood) => number;
  /** The next id of each; least recently used first. */
  readonly #next = new Map<Neighborhood, number>();

  /** `draw`: for tests, a prefix from `firstPrefix` to below `endPrefix`. */
  constructor(draw: (neighborhood: Neighborhood) => number = () => randomInt(firstPrefix, endPrefix)) {
    this.#draw = draw;
  }

  /**
   * The first of `count` consecutive ids. More than `idsPerPrefix` run into the ids of the next
   * prefixes, where others notice them as they notice any equal prefix.
   */
  take(neighborhood: Neighborhood, count = 1): number {
    let first = this.#next.get(neighborhood);
    this.#next.delete(neighborhood);
    if (first === undefined || (first % idsPerPrefix) + count > idsPerPrefix) first = this.#draw(neighborhood) * idsPerPrefix;
    const next = first + count;
    if (next < first - (first % idsPerPrefix) + idsPerPrefix) this.#remember(neighborhood, next);
    return first;
  }

  /** Makes the next id have another prefix. */
  forget(neighborhood: Neighborhood): void {
    this.#next.delete(neighborhood);
  }

  #remember(neighborhood: Neighborhood, next: number): void {
    this.#next.set(neighborhood, next);
    if (this.#next.size > maxNeighborhoods) this.#next.delete(this.#next.keys().next().value!);
  }
}

/** The ids that this thread makes. */
export const rowIds = new RowIds();

/**
 * Calls `insert` until it returns a result. It takes ids, inserts with `on conflict do nothing`,
 * and returns undefined if a row was left out although no other key explains it: then another
 * process has drawn the same prefix. Throws after five attempts, which only a defect needs.
 */
export async function retryIds<T>(ids: RowIds, neighborhood: Neighborhood, insert: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const result = await insert();
    if (result !== undefined) return result;
    ids.forget(neighborhood);
  }
  throw new Error(`no free ids after ${maxAttempts} attempts`);
}
