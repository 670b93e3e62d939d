import { compareLogOrder } from '#model';
import type { RunFile, StoredSessionStart } from '#store';

/** A place in the log order of a run: the file's rank among the run's files, and an offset in it. */
export interface LogPlace {
  readonly rank: number;
  readonly fileId: string;
  readonly offset: number;
}

/** A SessionLog START that supersedes: everything before it in log order whose step is not smaller (data rule 2b). */
export interface SessionCut extends LogPlace {
  readonly step: bigint;
}

/** The files of a run in log order. Ranks are positions in that order; they hold for one transaction. */
export class RunPlaces {
  readonly files: readonly RunFile[];
  readonly #ranks: ReadonlyMap<string, number>;

  constructor(files: readonly RunFile[]) {
    this.files = files.toSorted(compareLogOrder);
    this.#ranks = new Map(this.files.map((file, rank) => [file.fileId, rank]));
  }

  /** The rank of a file of this run. */
  rank(fileId: string): number {
    const rank = this.#ranks.get(fileId);
    if (rank === undefined) throw new Error(`file ${fileId} is not of this run`);
    return rank;
  }

  /** Ids of the files before `rank` in log order. */
  before(rank: number): string[] {
    return this.files.slice(0, rank).map((file) => file.fileId);
  }

  /** Ids of the files behind `rank` in log order. */
  after(rank: number): string[] {
    return this.files.slice(rank + 1).map((file) => file.fileId);
  }

  /** The STARTs that supersede: all but the first of the run, in log order. */
  cuts(starts: readonly StoredSessionStart[]): SessionCut[] {
    return starts
      .map((start) => ({ rank: this.rank(start.fileId), fileId: start.fileId, offset: start.offset, step: start.step }))
      .toSorted((a, b) => a.rank - b.rank || a.offset - b.offset)
      .slice(1);
  }
}

/** The smallest step among cuts in files behind `rank` in log order; null without any. */
export function smallestLaterStep(cuts: readonly SessionCut[], rank: number): bigint | null {
  let least: bigint | null = null;
  for (const cut of cuts) if (cut.rank > rank && (least === null || cut.step < least)) least = cut.step;
  return least;
}
