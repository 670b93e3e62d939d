import type { BatchStart } from '#chunks';
import type { FileBatch, FileId, SessionStart } from '#model';
import type { StoredSessionStart } from '#store';
import { type RunFileOrder, type SessionCut } from './run-file-order.ts';

/**
 * A run's SessionLog STARTs as they apply to one batch of one file (data rule 2b). The first START
 * of a run supersedes nothing. If a batch from an earlier file brings an earlier START, the
 * previously first START counts.
 */
export class OrderCuts {
  /**
   * STARTs that count now but did not count before the batch. They apply to everything stored
   * before them, in every series of the run.
   */
  readonly added: readonly SessionCut[];
  /** Smallest step among the counting STARTs of later files; null if there are none. */
  readonly laterCut: bigint | null;
  readonly #starts: readonly (SessionStart & { readonly cuts: boolean })[];

  constructor(fileOrder: RunFileOrder, fileId: FileId, known: readonly StoredSessionStart[], batch: FileBatch) {
    const fresh = batch.starts.map((start) => ({ fileId, offset: start.offset, step: start.step }));
    const rank = fileOrder.rank(fileId);
    const before = new Set(fileOrder.cuts(known).map(nameOf));
    const cuts = fileOrder.cuts([...known, ...fresh]);
    const counting = new Set(cuts.map(nameOf));
    this.added = cuts.filter((cut) => !before.has(nameOf(cut)));
    this.#starts = batch.starts.map((start) => ({ ...start, cuts: counting.has(nameOf({ fileId, offset: start.offset })) }));
    this.laterCut = fileOrder.laterCut(cuts, rank);
  }

  /** Whether the batch has any START, counting or not. */
  get hasStarts(): boolean {
    return this.#starts.length > 0;
  }

  /** The STARTs of the batch as they apply to its series at `index`. */
  startsFor(index: number): BatchStart[] {
    return this.#starts.map((start) => ({
      before: start.pointsBefore[index] ?? 0,
      offset: start.offset,
      step: start.step,
      cuts: start.cuts,
    }));
  }

  /**
   * The smallest step after the batch in log order, among `laterPoints` (the series' points in
   * later files) and the STARTs in later files. Null if there are none.
   */
  floor(laterPoints: bigint | null): bigint | null {
    return smaller(laterPoints, this.laterCut);
  }
}

function nameOf(place: { fileId: FileId; offset: number }): string {
  return `${place.fileId}@${place.offset}`;
}

function smaller(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
