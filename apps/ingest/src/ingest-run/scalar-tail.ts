import { decodeTail, encodeTailParts, mergeTails, type TailEntry } from '#chunks';
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

/** A series with this many points in a batch on average is a bulk upload: its chunks are worth writing at once. */
const bulkPointsPerSeries = 512;
/**
 * The tail is cut when its series have this many points on average. Less is faster to read; but then every point is written once more on its way to a full chunk (at 640: 150 bytes a point instead of 134, measured).
 */
const cutPointsPerSeries = 1_024;
/** When a tail is cut into chunks. */
export interface TailBounds {
  /** Most points in a tail, whatever the number of series: what a reader may have to decode beside the chunks (about 1 ms for 65,536). */
  readonly maxPoints: number;
  /** A tail that is older is cut, so that a run which stopped without a word ends up in chunks. */
  readonly maxAgeMs: number;
}

/** Commits of one level before they are merged into one of the next: every point of a tail is written once more for that. */
const commitsPerLevel = 32;
/** So few single commits are merged where they have many points: readers take longer for many blocks than for large ones. */
const largeCommits = { commits: 4, points: 4_096 };

/**
 * The tail of a run within one transaction: new points of a live run wait here, commit by commit, until they are worth a
 * chunk. What always holds: the points of the tail come after all chunks of their series in log order, none of their steps
 * is at or below the last step of the chunks, and no SessionLog START lies among them. A batch that would break this has the tail cut first.
 */
export class ScalarTail {
  readonly #ingest: ScalarIngest;
  readonly #tenantId: string;
  readonly #runId: string;
  readonly #bounds: TailBounds;
  #heads: TailHead[];
  #closed = false;

  private constructor(ingest: ScalarIngest, tenantId: string, runId: string, bounds: TailBounds, heads: TailHead[]) {
    this.#ingest = ingest;
    this.#tenantId = tenantId;
    this.#runId = runId;
    this.#bounds = bounds;
    this.#heads = heads;
  }

  static async open(ingest: ScalarIngest, tenantId: string, runId: string, bounds: TailBounds): Promise<ScalarTail> {
    return new ScalarTail(ingest, tenantId, runId, bounds, await readTailHeads(ingest.trx, tenantId, runId));
  }

  /** The tail of a run that has none. */
  static empty(ingest: ScalarIngest, tenantId: string, runId: string, bounds: TailBounds): ScalarTail {
    return new ScalarTail(ingest, tenantId, runId, bounds, []);
  }

  /** Takes nothing more: the run is read to its end by this transaction. */
  close(): void {
    this.#closed = true;
  }

  /** How many points each series has from `fileId`, in chunks and in the tail: the ordinal of the next one. */
  async nextOrdinals(seriesIds: readonly string[], fileId: string): Promise<Map<string, number>> {
    const next = new Map<string, number>();
    const note = (entries: readonly TailEntry[]): void => {
      for (const entry of entries) if (entry.fileId === fileId) next.set(entry.seriesId, entry.firstOrdinal + entry.points.steps.length);
    };
    const last = this.#heads.at(-1);
    if (last) note(await this.#read(last.tailNo));
    if (last && seriesIds.some((id) => !next.has(id))) note(await this.entries());
    const missing = seriesIds.filter((id) => !next.has(id));
    const counted =
      missing.length > 0 ? await countFilePoints(this.#ingest.trx, this.#tenantId, missing, fileId) : new Map<string, number>();
    for (const id of missing) next.set(id, counted.get(id) ?? 0);
    return next;
  }

  /** Whether these new points may wait in the tail. */
  async takes(entries: readonly TailEntry[]): Promise<boolean> {
    const fresh = pointsIn(entries);
    if (this.#closed || fresh >= entries.length * bulkPointsPerSeries) return false;
    const waiting = this.#heads.reduce((sum, head) => sum + head.points, 0);
    if (waiting + fresh > this.#bounds.maxPoints || this.#isOld()) return false;
    // A commit that has few of the run's series, as one of validation has, says little of those that are in the tail.
    if (waiting + fresh > entries.length * cutPointsPerSeries && waiting + fresh > (await this.#countSeries(entries)) * cutPointsPerSeries)
      return false;
    await this.#ingest.stats.write();
    const chunkEnds = await readLastChunkSteps(
      this.#ingest.trx,
      this.#tenantId,
      entries.map((entry) => entry.seriesId),
    );
    return entries.every((entry) => {
      const end = chunkEnds.get(entry.seriesId);
      return end === undefined || entry.points.steps.every((step) => step > end);
    });
  }

  /** Appends new points, and merges rows when a level has many. */
  async append(entries: readonly TailEntry[]): Promise<void> {
    await this.#insert({ level: 0, ageMs: 0 }, entries);
    for (let level = 0; ; level++) {
      const rows = this.#heads.filter((head) => head.level === level);
      if (!isMergeDue(rows)) return;
      const from = rows[0]!;
      const merged = mergeTails(await readTailBlocks(this.#ingest.trx, this.#tenantId, this.#runId, from.tailNo));
      await deleteTail(this.#ingest.trx, this.#tenantId, this.#runId, from.tailNo);
      this.#heads = this.#heads.filter((head) => head.tailNo < from.tailNo);
      await this.#insert({ level: level + 1, ageMs: from.ageMs }, merged);
    }
  }

  /** Everything in the tail, oldest first. */
  async entries(): Promise<TailEntry[]> {
    const first = this.#heads[0];
    return first ? this.#read(first.tailNo) : [];
  }

  /** Empties the tail; its entries go into chunks in the same transaction. */
  async clear(): Promise<void> {
    const first = this.#heads[0];
    if (!first) return;
    await deleteTail(this.#ingest.trx, this.#tenantId, this.#runId, first.tailNo);
    this.#heads = [];
  }

  /** Whether the tail waits for nothing any more: it is old, or the run's files are complete. */
  async isDue(): Promise<boolean> {
    if (this.#heads.length === 0) return false;
    return this.#isOld() || (await isRunFinished(this.#ingest.trx, this.#tenantId, this.#runId));
  }

  #isOld(): boolean {
    const first = this.#heads[0];
    return first !== undefined && first.ageMs > this.#bounds.maxAgeMs;
  }

  async #insert(row: Pick<TailHead, 'level' | 'ageMs'>, entries: readonly TailEntry[]): Promise<void> {
    const head = { ...row, tailNo: (this.#heads.at(-1)?.tailNo ?? 0) + 1 };
    await insertTail(this.#ingest.trx, this.#tenantId, this.#runId, head, encodeTailParts(entries));
    this.#heads.push({ ...head, points: pointsIn(entries) });
  }

  /** Of how many series there are points, in the tail or among these. */
  async #countSeries(entries: readonly TailEntry[]): Promise<number> {
    return new Set([...(await this.entries()), ...entries].map(({ seriesId }) => seriesId)).size;
  }

  async #read(fromTailNo: number): Promise<TailEntry[]> {
    const blocks = await readTailBlocks(this.#ingest.trx, this.#tenantId, this.#runId, fromTailNo);
    return blocks.flatMap((block) => decodeTail(block));
  }
}

/** Whether these commits of one level are to become one of the next. */
function isMergeDue(heads: readonly TailHead[]): boolean {
  if (heads.length >= commitsPerLevel) return true;
  const points = heads.reduce((sum, head) => sum + head.points, 0);
  return heads[0]?.level === 0 && heads.length >= largeCommits.commits && points >= largeCommits.points;
}

function pointsIn(entries: readonly TailEntry[]): number {
  return entries.reduce((sum, entry) => sum + entry.points.steps.length, 0);
}
