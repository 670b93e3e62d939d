import type { ChunkBody } from './chunk.ts';
import { type ChunkDraft, type ChunkHead, draftChunks, type Session } from './chunk-draft.ts';
import { concatPoints, mergeBodies, selectBody } from './point-slices.ts';
import { markSuperseded } from './restart-rule.ts';
import type { SeriesCut } from './series-update.ts';

/** A chunk with its points. */
export interface WholeChunk {
  readonly head: ChunkHead;
  readonly body: ChunkBody;
}

/** Steps, inclusive; null means no bound. */
export interface StepRange {
  readonly from: bigint | null;
  readonly to: bigint | null;
}

function inStepRange(step: bigint, { from, to }: StepRange): boolean {
  return (from === null || step >= from) && (to === null || step <= to);
}

/**
 * Chunks of one series as they would be if the points in the range had never been logged: the others are numbered anew, and what only the removed
 * points had superseded counts again. `cuts` are the counting STARTs of the run, in log order. `counted` says how many points of each file came before
 * these chunks, and is brought forward: where no chunk of a series is superseded, its chunks may be given in several calls, in log order; else all at once.
 */
export function removeSteps(
  chunks: readonly WholeChunk[],
  cuts: readonly SeriesCut[],
  range: StepRange,
  counted: Map<string, number>,
): { readonly insert: ChunkDraft[]; readonly removed: number } {
  const sessions = bySession(chunks).map(({ session, bodies }) => {
    const merged = mergeBodies(bodies);
    const mask = Uint8Array.from(merged.points.steps, (step) => (inStepRange(step, range) ? 1 : 0));
    const kept = selectBody(merged, mask, 0);
    const first = counted.get(session.fileId) ?? 0;
    counted.set(session.fileId, first + kept.points.steps.length);
    return { session, removed: merged.points.steps.length - kept.points.steps.length, points: kept.points, first };
  });
  const all = concatPoints(sessions.map(({ points }) => points));
  let before = 0;
  let nextCut = 0;
  const placed: { before: number; step: bigint }[] = [];
  for (const { session, points } of sessions) {
    while (nextCut < cuts.length && !isBefore(session, cuts[nextCut]!)) placed.push({ before, step: cuts[nextCut++]!.step });
    before += points.steps.length;
  }
  for (const { step } of cuts.slice(nextCut)) placed.push({ before, step });
  const { superseded } = markSuperseded(all.steps, placed, null);

  const effective: ChunkDraft[] = [];
  const others: ChunkDraft[] = [];
  let at = 0;
  for (const { session, points, first } of sessions) {
    const count = points.steps.length;
    const body = { points, ordinals: { first, column: null } };
    const mask = superseded.subarray(at, at + count);
    effective.push(...draftChunks(session, selectBody(body, mask, 0), false));
    others.push(...draftChunks(session, selectBody(body, mask, 1), true));
    at += count;
  }
  return { insert: [...effective, ...others], removed: sessions.reduce((sum, { removed }) => sum + removed, 0) };
}

function bySession(chunks: readonly WholeChunk[]): { session: Session; bodies: ChunkBody[] }[] {
  const sessions = new Map<string, { session: Session; bodies: ChunkBody[] }>();
  for (const { head, body } of chunks) {
    const session = { fileId: head.key.fileId, fileRank: head.fileRank, afterOffset: head.afterOffset };
    const key = `${session.fileId} ${session.afterOffset}`;
    const own = sessions.get(key) ?? { session, bodies: [] };
    sessions.set(key, own);
    own.bodies.push(body);
  }
  return [...sessions.values()].sort((a, b) => a.session.fileRank - b.session.fileRank || a.session.afterOffset - b.session.afterOffset);
}

/** Whether the points of a session come before a START in log order. */
function isBefore(session: Session, cut: SeriesCut): boolean {
  return session.fileRank < cut.fileRank || (session.fileRank === cut.fileRank && session.afterOffset < cut.offset);
}
