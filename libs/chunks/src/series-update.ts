/**
 * How the chunks of one series change when points or restarts arrive (data rule 2). Pure: the
 * worker passes the heads of the chunks that may be affected, reads the bodies that the plan
 * requests, and writes the plan's result, all in one transaction.
 *
 * Invariants between updates:
 * - effective chunks of a series never overlap, and their steps strictly rise in log order;
 * - superseded chunks contain points in log order, with steps in any order. A superseded point
 *   stays superseded;
 * - a chunk has at most 4096 points, of one file, between two of its STARTs (one {@link Session}).
 *
 * The work is bounded. New effective points are joined with the last chunk of their session as long
 * as it is not settled and has less than twice as many points. Superseded points are joined with
 * the small superseded chunks of their session by the same rule. So each rewrite of a point grows
 * its chunk by half or more (at most log 1.5 of 4096 / batch points ≈ 10 times for batches of 60).
 * A session has at most about 12 effective and 11 superseded chunks that are less than half full,
 * for batches of any size and any steps. Superseding touches each effective point once, plus at
 * most one chunk, which the cut splits.
 */
import type { FileId, PointColumns } from '#model';
import type { ChunkBody } from './chunk.ts';
import { type ChunkDraft, type ChunkHead, type ChunkKey, draftChunks, headOf, type Session } from './chunk-draft.ts';
import { concatBodies, lowerBound, mergeBodies, selectBody, sliceBody } from './point-slices.ts';
import { markSuperseded } from './restart-rule.ts';

/**
 * An effective chunk with this many points is never rewritten to fill it up: that would rewrite
 * 3584 points to store at most 512 more.
 */
export const settledPoints = 3584;

/**
 * An effective chunk with this many points becomes superseded in place; a smaller one is joined
 * with its neighbors.
 */
export const flipInPlacePoints = 2048;

/** A SessionLog START inside a batch. */
export interface BatchStart {
  /** Number of the batch's points before the START. */
  readonly before: number;
  /** Offset of the START's record in the file. */
  readonly offset: number;
  readonly step: bigint;
  /**
   * False for the run's first START, which supersedes nothing. Chunks still end at it, because an
   * earlier file may still arrive.
   */
  readonly cuts: boolean;
}

/**
 * The new points of one series from one range of one file. Batches of one file come in file order,
 * files in any order.
 */
export interface PointBatch {
  readonly fileId: FileId;
  readonly fileRank: number;
  /** Number of points that the file already had in this series. */
  readonly firstOrdinal: number;
  /** Offset of the last START before the batch in its file, 0 if there is none. */
  readonly afterOffset: number;
  readonly points: PointColumns;
  /** Every START in the range, in file order. */
  readonly starts: readonly BatchStart[];
  /** Smallest step among the counting STARTs of files later in log order; null if there is none. */
  readonly laterCut: bigint | null;
}

/**
 * A counting START, applied to points that are already stored. Several STARTs in one range act as
 * one, with the smallest step and the first offset.
 */
export interface SeriesCut {
  readonly fileRank: number;
  readonly offset: number;
  readonly step: bigint;
}

/**
 * Changes to the chunks of one series. `remove` comes first: an inserted chunk may have the key of
 * a removed chunk.
 */
export interface SeriesUpdate {
  readonly remove: readonly ChunkKey[];
  /** Chunks that become superseded and lose their cells; summary and body are kept. */
  readonly flip: readonly ChunkKey[];
  /** Effective chunks in log order, then superseded ones. */
  readonly insert: readonly ChunkDraft[];
  /** Number of new points, including superseded points. */
  readonly pointsAdded: number;
  /** Number of points that this update supersedes, including new points. */
  readonly supersededAdded: number;
  /**
   * Smallest step of an effective chunk that is added or removed; null if the effective chunks do
   * not change.
   */
  readonly effectiveFrom: bigint | null;
}

/** An update that still needs some bodies. */
export interface PreparedUpdate {
  /** Chunks whose bodies must be read and decoded. */
  readonly needed: readonly ChunkHead[];
  /** Computes the update. Calls `body` once for each of `needed`. */
  finish(body: (key: ChunkKey) => ChunkBody): SeriesUpdate;
}

/**
 * Plans the arrival of a batch. `heads` must include (more is harmless, in any order):
 * - of files up to the batch's in log order, the effective chunks whose last step is not below the
 *   smallest step of the batch's points and counting STARTs; of later files, the effective chunk
 *   with the smallest first step;
 * - of the batch's session, the effective chunks with fewer than {@link settledPoints} points (they
 *   are its last ones);
 * - of the batch's sessions and those of the first item, the superseded chunks with fewer than
 *   {@link flipInPlacePoints} points.
 *
 * ```ts
 * import { fileIdOf } from '#model/testing';
 *
 * const pointsOf = (steps: bigint[]) => {
 *   const zeros = new Float64Array(steps.length);
 *   return { steps: BigInt64Array.from(steps), wallTimes: zeros, values: zeros };
 * };
 * const file = { fileId: fileIdOf('1'), fileRank: 0, afterOffset: 0, starts: [], laterCut: null };
 * const first = { ...file, firstOrdinal: 0, points: pointsOf([0n, 1n, 2n]) };
 * const noBodies = () => assert.fail('nothing is stored yet');
 * const { insert } = updateSeries([], first).finish(noBodies);
 * assert.equal(insert.length, 1); // one chunk with three points
 *
 * // The file logs steps 1 and 2 again: the first points of these steps are superseded.
 * const again = { ...file, firstOrdinal: 0, points: pointsOf([0n, 1n, 2n, 1n, 2n]) };
 * const update = updateSeries([], again).finish(noBodies);
 * assert.equal(update.supersededAdded, 2);
 * assert.deepEqual(update.insert.map(({ superseded }) => superseded), [false, true]);
 * ```
 */
export function updateSeries(heads: readonly ChunkHead[], batch: PointBatch): PreparedUpdate {
  const cuts = batch.starts.filter((start) => start.cuts);
  const marks = markSuperseded(batch.points.steps, cuts, floorFor(heads, batch));
  const step = marks.minStep;
  const hit = heads.filter((head) => !head.superseded && head.fileRank <= batch.fileRank && step !== null && head.lastStep >= step);
  const parts = partsOf(batch, marks.superseded);
  return prepare(heads, hit, step, parts, batch.points.steps.length, marks.count);
}

/**
 * Plans the effect of a counting START on a series that has no new points with it. `heads` must
 * include the effective chunks whose last step is not below the START's, and the superseded chunks
 * of their sessions with fewer than {@link flipInPlacePoints} points.
 */
export function cutSeries(heads: readonly ChunkHead[], cut: SeriesCut): PreparedUpdate {
  const before = (head: ChunkHead): boolean =>
    head.fileRank < cut.fileRank || (head.fileRank === cut.fileRank && head.afterOffset < cut.offset);
  const hit = heads.filter((head) => !head.superseded && before(head) && head.lastStep >= cut.step);
  return prepare(heads, hit, cut.step, [], 0, 0);
}

/** New points of one session, with effective and superseded points separated. */
interface NewPart {
  readonly session: Session;
  readonly effective: ChunkBody;
  readonly superseded: ChunkBody;
}

/**
 * Points of one session that are written as superseded. `atMost` bounds their number before bodies
 * are read.
 */
interface Pool {
  readonly session: Session;
  readonly heads: ChunkHead[];
  readonly bodies: ChunkBody[];
  atMost: number;
}

function prepare(
  heads: readonly ChunkHead[],
  hit: readonly ChunkHead[],
  step: bigint | null,
  parts: readonly NewPart[],
  pointsAdded: number,
  supersededInBatch: number,
): PreparedUpdate {
  const whole = hit.filter((head) => step !== null && head.firstStep >= step);
  // Steps strictly rise over all effective chunks, so at most one spans the cut.
  const split = hit.find((head) => step !== null && head.firstStep < step) ?? null;
  const flipped = whole.filter((head) => head.count >= flipInPlacePoints);
  const joinedWhole = whole.filter((head) => head.count < flipInPlacePoints);
  const pools = poolsOf(parts, joinedWhole, split);
  for (const pool of pools) absorbSmall(pool, heads);
  const tail = tailToJoin(heads, hit, split, parts[0]);

  const removed = [...joinedWhole, ...pools.flatMap((pool) => pool.heads), ...tail];
  if (split !== null) removed.push(split);
  const needed = [...new Set(removed)];

  const finish = (body: (key: ChunkKey) => ChunkBody): SeriesUpdate => {
    const bodies = new Map(needed.map((head) => [head, body(head.key)]));
    const read = (head: ChunkHead): ChunkBody => bodies.get(head)!;
    const at = split === null || step === null ? 0 : lowerBound(read(split).points.steps, step);
    const insert: ChunkDraft[] = [];

    const kept = split === null ? null : sliceBody(read(split), 0, at);
    const [firstPart] = parts;
    const keptInFirst = split !== null && firstPart !== undefined && sameSession(split, firstPart.session);
    if (split !== null && kept !== null && !keptInFirst) insert.push(...draftChunks(sessionOf(split), kept, false));
    for (const part of parts) {
      const joined = part === firstPart ? [...tail.map(read), ...(keptInFirst && kept ? [kept] : []), part.effective] : [part.effective];
      insert.push(...draftChunks(part.session, concatBodies(joined.filter(hasPoints)), false));
    }
    for (const pool of pools) {
      const joined = [...pool.heads.map(read), ...pool.bodies];
      if (split !== null && sameSession(split, pool.session)) joined.push(sliceBody(read(split), at, split.count));
      insert.push(...draftChunks(pool.session, mergeBodies(joined), true));
    }
    const supersededOfSplit = split === null ? 0 : split.count - at;
    return {
      remove: needed.map((head) => head.key),
      flip: flipped.map((head) => head.key),
      insert,
      pointsAdded,
      supersededAdded: supersededInBatch + supersededOfSplit + whole.reduce((sum, head) => sum + head.count, 0),
      effectiveFrom: smallestEffectiveStep([...needed, ...flipped, ...insert.map(headOf)]),
    };
  };
  return { needed, finish };
}

function smallestEffectiveStep(heads: readonly ChunkHead[]): bigint | null {
  let min: bigint | null = null;
  for (const { superseded, firstStep } of heads) if (!superseded && (min === null || firstStep < min)) min = firstStep;
  return min;
}

/**
 * Smallest step later in log order than the batch's file. The effective points of later files are
 * sufficient. A point that supersedes another has a step that is not larger, and the chain ends at
 * an effective point or a START.
 */
function floorFor(heads: readonly ChunkHead[], batch: PointBatch): bigint | null {
  let floor = batch.laterCut;
  for (const head of heads) {
    if (head.superseded || head.fileRank <= batch.fileRank) continue;
    if (floor === null || head.firstStep < floor) floor = head.firstStep;
  }
  return floor;
}

/** Cuts the batch at each START, counting or not. */
function partsOf(batch: PointBatch, superseded: Uint8Array): NewPart[] {
  const parts: NewPart[] = [];
  const all: ChunkBody = { points: batch.points, ordinals: { first: batch.firstOrdinal, column: null } };
  let from = 0;
  let afterOffset = batch.afterOffset;
  const end = { before: batch.points.steps.length, offset: 0 };
  for (const { before, offset } of [...batch.starts, end]) {
    if (before > from) {
      const body = sliceBody(all, from, before);
      const mask = superseded.subarray(from, before);
      parts.push({
        session: { fileId: batch.fileId, fileRank: batch.fileRank, afterOffset },
        effective: selectBody(body, mask, 0),
        superseded: selectBody(body, mask, 1),
      });
      from = before;
    }
    afterOffset = offset;
  }
  return parts;
}

function poolsOf(parts: readonly NewPart[], joinedWhole: readonly ChunkHead[], split: ChunkHead | null): Pool[] {
  const pools = new Map<string, Pool>();
  const poolOf = (session: Session): Pool => {
    const key = `${session.afterOffset} ${session.fileId}`;
    const pool = pools.get(key) ?? { session, heads: [], bodies: [], atMost: 0 };
    pools.set(key, pool);
    return pool;
  };
  for (const part of parts) {
    if (!hasPoints(part.superseded)) continue;
    const pool = poolOf(part.session);
    pool.bodies.push(part.superseded);
    pool.atMost += part.superseded.points.steps.length;
  }
  for (const head of joinedWhole) {
    const pool = poolOf(sessionOf(head));
    pool.heads.push(head);
    pool.atMost += head.count;
  }
  if (split !== null) poolOf(sessionOf(split)).atMost += split.count;
  return [...pools.values()];
}

/**
 * Moves the small superseded chunks of the session into the pool, smallest first, while each has
 * less than twice the pool's points.
 */
function absorbSmall(pool: Pool, heads: readonly ChunkHead[]): void {
  const small = heads.filter((head) => head.superseded && head.count < flipInPlacePoints && sameSession(head, pool.session));
  small.sort((a, b) => a.count - b.count);
  for (const head of small) {
    if (head.count >= 2 * pool.atMost) return;
    pool.heads.push(head);
    pool.atMost += head.count;
  }
}

/**
 * The last effective chunks of the first part's session, with which the new points are joined, in
 * log order.
 */
function tailToJoin(
  heads: readonly ChunkHead[],
  hit: readonly ChunkHead[],
  split: ChunkHead | null,
  part: NewPart | undefined,
): ChunkHead[] {
  if (part === undefined || !hasPoints(part.effective)) return [];
  let joined = part.effective.points.steps.length;
  if (split !== null && sameSession(split, part.session)) joined += split.count;
  const gone = new Set(hit);
  const last = heads.filter((head) => !head.superseded && sameSession(head, part.session) && !gone.has(head));
  last.sort((a, b) => b.key.firstOrdinal - a.key.firstOrdinal);
  const tail: ChunkHead[] = [];
  for (const head of last) {
    if (head.count >= settledPoints || head.count >= 2 * joined) break;
    tail.unshift(head);
    joined += head.count;
  }
  return tail;
}

function sameSession(head: ChunkHead, session: Session): boolean {
  return head.key.fileId === session.fileId && head.afterOffset === session.afterOffset;
}

function sessionOf(head: ChunkHead): Session {
  return { fileId: head.key.fileId, fileRank: head.fileRank, afterOffset: head.afterOffset };
}

function hasPoints(body: ChunkBody): boolean {
  return body.points.steps.length > 0;
}
