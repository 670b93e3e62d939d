import { compareWriters, writerOrder, type WriterOrder } from '#chunks';
import { type FileId, isLogName } from '#model';
import type { RunFile, StoredSessionStart } from '#store';

/**
 * A position in a run's log order: the file's rank among the run's writers, and an offset in the
 * file.
 */
export interface LogPlace {
  readonly rank: number;
  readonly fileId: FileId;
  readonly offset: number;
}

/**
 * A SessionLog START. It supersedes everything before it in log order whose step is not smaller
 * (data rule 2b).
 */
export interface SessionCut extends LogPlace {
  readonly step: bigint;
}

const minStep = -(2n ** 63n);

/**
 * The rank of a file that does not count because it is a copy or was replaced by a newer version.
 */
const uncounted = -1;

/**
 * The event files of a run as writers, in the order in which they started and each in its lane
 * (data rule 2). Ranks are valid for one transaction. Logs are not writers, so they are omitted.
 */
export class RunFileOrder {
  /** All event files. Files that do not count come first. */
  readonly files: readonly RunFile[];
  readonly order: WriterOrder;
  /** The number of lanes. */
  readonly lanes: number;
  readonly #writers: readonly RunFile[];
  readonly #ranks: ReadonlyMap<FileId, number>;

  constructor(filesAndLogs: readonly RunFile[]) {
    const files = filesAndLogs.filter(({ name }) => !isLogName(name));
    const counts = (file: RunFile): boolean => file.copyOf === null && !file.replaced;
    this.#writers = files.filter(counts).sort(compareWriters);
    this.files = [...files.filter((file) => !counts(file)).sort(compareWriters), ...this.#writers];
    this.order = writerOrder(this.#writers);
    this.#ranks = new Map(this.#writers.map((file, rank) => [file.fileId, rank]));
    this.lanes = this.#writers.reduce((max, _, rank) => Math.max(max, this.order.lane(rank) + 1), 1);
  }

  /** The rank of a file of this run. Negative if the file does not count. */
  rank(fileId: FileId): number {
    return this.#ranks.get(fileId) ?? uncounted;
  }

  /** The lane of a file, which is the writer of its series; 0 if the file does not count. */
  lane(fileId: FileId): number {
    const rank = this.rank(fileId);
    return rank < 0 ? 0 : this.order.lane(rank);
  }

  /** Whether this file counts and is the last file of its lane. */
  isLastOfLane(fileId: FileId): boolean {
    const rank = this.rank(fileId);
    if (rank < 0) return false;
    for (let other = rank + 1; other < this.#writers.length; other++) if (this.order.lane(other) === this.order.lane(rank)) return false;
    return true;
  }

  /** Whether a writer in another lane is later than this file. */
  hasLaterElsewhere(fileId: FileId): boolean {
    const rank = this.rank(fileId);
    if (this.lanes === 1 || rank < 0) return false;
    for (let other = this.order.laterFrom(rank); other < this.#writers.length; other++) {
      if (this.order.lane(other) !== this.order.lane(rank)) return true;
    }
    return false;
  }

  /** Whether this file is later than a writer in another lane. */
  hasEarlierElsewhere(fileId: FileId): boolean {
    const rank = this.rank(fileId);
    if (this.lanes === 1 || rank < 0) return false;
    for (let other = 0; other < rank; other++) {
      if (this.order.lane(other) !== this.order.lane(rank) && this.order.laterFrom(other) <= rank) return true;
    }
    return false;
  }

  /** Ids of the writers that ended before the writer with this rank started. */
  before(rank: number): FileId[] {
    return this.#writers.slice(0, Math.max(rank, 0)).flatMap((file, other) => (this.order.laterFrom(other) <= rank ? [file.fileId] : []));
  }

  /** Ids of the writers that started after the writer with this rank ended. */
  after(rank: number): FileId[] {
    return rank < 0 ? [] : this.#writers.slice(this.order.laterFrom(rank)).map((file) => file.fileId);
  }

  /** The STARTs that supersede: all of the run's STARTs except the first, in log order. */
  cuts(starts: readonly StoredSessionStart[]): SessionCut[] {
    return starts
      .map((start) => ({ rank: this.rank(start.fileId), fileId: start.fileId, offset: start.offset, step: start.step }))
      .filter(({ rank }) => rank >= 0)
      .toSorted((a, b) => a.rank - b.rank || a.offset - b.offset)
      .slice(1);
  }

  /**
   * The smallest step of these cuts in writers that are later than this one; null if there are
   * none. If the file does not count, the smallest step of all cuts.
   */
  laterCut(cuts: readonly SessionCut[], rank: number): bigint | null {
    if (rank < 0) return minStep;
    const from = this.order.laterFrom(rank);
    let min: bigint | null = null;
    for (const cut of cuts) if (cut.rank >= from && (min === null || cut.step < min)) min = cut.step;
    return min;
  }

  /**
   * Whether the files with points have the same relations as in `other`: the same files count, in
   * the same order and the same lanes.
   */
  agreesWith(other: RunFileOrder): boolean {
    const known = new Set(other.files.filter(hasPoints).map(({ fileId }) => fileId));
    const [mine, theirs] = [this.#relations(known), other.#relations(known)];
    return mine.length === theirs.length && mine.every((relation, i) => relation === theirs[i]);
  }

  #relations(known: ReadonlySet<FileId>): string[] {
    const before: number[] = [0];
    for (const [rank, { fileId }] of this.#writers.entries()) before.push(before[rank]! + (known.has(fileId) ? 1 : 0));
    return this.#writers.flatMap(({ fileId }, rank) =>
      known.has(fileId) ? [`${fileId} ${this.order.lane(rank)} ${before[this.order.laterFrom(rank)]}`] : [],
    );
  }
}

/** Whether points of the file may be stored. */
function hasPoints(file: RunFile): boolean {
  return file.parsedOffset > 0 || file.headCrc32c !== null;
}
