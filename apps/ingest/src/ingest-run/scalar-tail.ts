import { decodeTail, encodeTailParts, mergeTails, type TailEntry } from '#chunks';
import type { FileId, RunId, SeriesId } from '#model';
import {
  countFilePoints,
  deleteTail,
  insertTail,
  isRunFinished,
  readLastChunkSteps,
  readTailBlocks,
  readTailHeads,
  type TailHead,
} from '#store';
import type { ScalarIngest } from './scalar-stats.ts';

/**
 * A batch with at least this many points per series on average is a bulk upload. For bulk uploads,
 * writing chunks immediately pays off.
 */
const bulkPointsPerSeries = 512;
/**
 * The tail is cut when its series have this many points on average. A smaller limit makes reads
 * faster, but rewrites every point once more before its chunk is full (measured at 640: 150 bytes
 * per point instead of 134).
 */
const cutPointsPerSeries = 1_024;
/** When a tail is cut into chunks. */
export interface TailBounds {
  /**
   * Maximum points in a tail, regardless of the number of series. A reader may have to decode these
   * in addition to the chunks (about 1 ms for 65,536).
   */
  readonly maxPoints: number;
  /**
   * A tail older than this is cut, so that the points of a run that stopped without notice end up
   * in chunks.
   */
  readonly maxAgeMs: number;
}

/**
 * Number of commits of one level that are merged into one commit of the next level. Each merge
 * rewrites every point of a tail once.
 */
const commitsPerLevel = 32;
/**
 * Even this few commits are merged if they have many points, because many small blocks take longer
 * to read than a few large ones.
 */
const largeCommits = { commits: 4, points: 4_096 };

/**
 * The tail of a run within one transaction. New points of a live run are kept here, commit by
 * commit, until there are enough for a chunk. Invariants: the tail's points come after all chunks
 * of their series in log order, their steps are above the last step of the chunks, and no
 * SessionLog START is among them. Before a batch that would break this, the tail is cut.
 */
export class ScalarTail {
  readonly #ingest: ScalarIngest;
  readonly #runId: RunId;
  readonly #bounds: TailBounds;
  #heads: TailHead[];
  #closed = false;

  private constructor(ingest: ScalarIngest, runId: RunId, bounds: TailBounds, heads: TailHead[]) {
    this.#ingest = ingest;
    this.#runId = runId;
    this.#bounds = bounds;
    this.#heads = heads;
  }

  static async open(ingest: ScalarIngest, runId: RunId, bounds: TailBounds): Promise<ScalarTail> {
    return new ScalarTail(ingest, runId, bounds, await readTailHeads(ingest.scope, runId));
  }

  /** An empty tail, for a run that has none. */
  static empty(ingest: ScalarIngest, runId: RunId, bounds: TailBounds): ScalarTail {
    return new ScalarTail(ingest, runId, bounds, []);
  }

  /** Makes the tail accept no more points, because this transaction reads the run to its end. */
  close(): void {
    this.#closed = true;
  }

  /**
   * The number of points of each series from `fileId`, in chunks and in the tail. This is the
   * ordinal of the next point.
   */
  async nextOrdinals(seriesIds: readonly SeriesId[], fileId: FileId): Promise<Map<SeriesId, number>> {
    const next = new Map<SeriesId, number>();
    const note = (entries: readonly TailEntry[]): void => {
      for (const entry of entries) if (entry.fileId === fileId) next.set(entry.seriesId, entry.firstOrdinal + entry.points.steps.length);
    };
    const last = this.#heads.at(-1);
    if (last) note(await this.#read(last.tailNo));
    if (last && seriesIds.some((id) => !next.has(id))) note(await this.entries());
    const missing = seriesIds.filter((id) => !next.has(id));
    const counted = missing.length > 0 ? await countFilePoints(this.#ingest.scope, missing, fileId) : new Map<SeriesId, number>();
    for (const id of missing) next.set(id, counted.get(id) ?? 0);
    return next;
  }

  /** Whether these new points can go to the tail. */
  async takes(entries: readonly TailEntry[]): Promise<boolean> {
    const fresh = pointsIn(entries);
    if (this.#closed || fresh >= entries.length * bulkPointsPerSeries) return false;
    const waiting = this.#heads.reduce((sum, head) => sum + head.points, 0);
    if (waiting + fresh > this.#bounds.maxPoints || this.#isOld()) return false;
    // A commit with only a few of the run's series, such as validation, says little about the
    // series in the tail.
    if (waiting + fresh > entries.length * cutPointsPerSeries && waiting + fresh > (await this.#countSeries(entries)) * cutPointsPerSeries)
      return false;
    await this.#ingest.stats.write();
    const chunkEnds = await readLastChunkSteps(
      this.#ingest.scope,
      entries.map((entry) => entry.seriesId),
    );
    return entries.every((entry) => {
      const end = chunkEnds.get(entry.seriesId);
      return end === undefined || entry.points.steps.every((step) => step > end);
    });
  }

  /** Appends new points. Merges rows if a level has many. */
  async append(entries: readonly TailEntry[]): Promise<void> {
    await this.#insert({ level: 0, ageMs: 0 }, entries);
    for (let level = 0; ; level++) {
      const rows = this.#heads.filter((head) => head.level === level);
      if (!isMergeDue(rows)) return;
      const from = rows[0]!;
      const merged = mergeTails(await readTailBlocks(this.#ingest.scope, this.#runId, from.tailNo));
      await deleteTail(this.#ingest.scope, this.#runId, from.tailNo);
      this.#heads = this.#heads.filter((head) => head.tailNo < from.tailNo);
      await this.#insert({ level: level + 1, ageMs: from.ageMs }, merged);
    }
  }

  /** All entries in the tail, oldest first. */
  async entries(): Promise<TailEntry[]> {
    const first = this.#heads[0];
    return first ? this.#read(first.tailNo) : [];
  }

  /** Empties the tail. The same transaction moves its entries to chunks. */
  async clear(): Promise<void> {
    const first = this.#heads[0];
    if (!first) return;
    await deleteTail(this.#ingest.scope, this.#runId, first.tailNo);
    this.#heads = [];
  }

  /**
   * Whether the tail need not wait for more points, because it is old or the run's files are
   * complete.
   */
  async isDue(): Promise<boolean> {
    if (this.#heads.length === 0) return false;
    return this.#isOld() || (await isRunFinished(this.#ingest.scope, this.#runId));
  }

  #isOld(): boolean {
    const first = this.#heads[0];
    return first !== undefined && first.ageMs > this.#bounds.maxAgeMs;
  }

  async #insert(row: Pick<TailHead, 'level' | 'ageMs'>, entries: readonly TailEntry[]): Promise<void> {
    const head = { ...row, tailNo: (this.#heads.at(-1)?.tailNo ?? 0) + 1 };
    await insertTail(this.#ingest.scope, this.#runId, head, encodeTailParts(entries));
    this.#heads.push({ ...head, points: pointsIn(entries) });
  }

  /** The number of series with points in the tail or in these entries. */
  async #countSeries(entries: readonly TailEntry[]): Promise<number> {
    return new Set([...(await this.entries()), ...entries].map(({ seriesId }) => seriesId)).size;
  }

  async #read(fromTailNo: number): Promise<TailEntry[]> {
    const blocks = await readTailBlocks(this.#ingest.scope, this.#runId, fromTailNo);
    return blocks.flatMap((block) => decodeTail(block));
  }
}

/** Whether to merge these commits of one level into one commit of the next level. */
function isMergeDue(heads: readonly TailHead[]): boolean {
  if (heads.length >= commitsPerLevel) return true;
  const points = heads.reduce((sum, head) => sum + head.points, 0);
  return heads[0]?.level === 0 && heads.length >= largeCommits.commits && points >= largeCommits.points;
}

function pointsIn(entries: readonly TailEntry[]): number {
  return entries.reduce((sum, entry) => sum + entry.points.steps.length, 0);
}
