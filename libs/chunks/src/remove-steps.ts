import type { ChunkBody } from './chunk.ts';
import { type ChunkDraft, type ChunkHead, draftChunks, type Session } from './chunk-draft.ts';
import { markSessions } from './mark-sessions.ts';
import { byStep, mergeBodies, selectBody } from './point-slices.ts';
import type { SeriesCut } from './series-update.ts';
import { oneAfterAnother } from './writers.ts';

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
 * Returns the chunks of one series as if the points in the range had never been logged. The
 * remaining points are renumbered, and points that were superseded only by removed points become
 * effective again. `cuts` are the run's counting STARTs, in log order. `counted` is the number of
 * points that each file has before these chunks, and is updated. If no chunk of a series is
 * superseded, its chunks may be passed in several calls, in log order; otherwise pass all at once.
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
  const marks = markSessions(
    sessions.map(({ session: { fileRank, afterOffset }, points }) => ({ fileRank, afterOffset, steps: points.steps })),
    cuts,
    oneAfterAnother(
      sessions.reduce(
        (max, { session }) => Math.max(max, session.fileRank + 1),
        cuts.reduce((max, cut) => Math.max(max, cut.fileRank + 1), 0),
      ),
    ),
  );

  const effective: ChunkDraft[] = [];
  const others: ChunkDraft[] = [];
  sessions.forEach(({ session, points, first }, i) => {
    const body = { points, ordinals: { first, column: null } };
    effective.push(...draftChunks(session, byStep(selectBody(body, marks[i]!, 0)), false));
    others.push(...draftChunks(session, selectBody(body, marks[i]!, 1), true));
  });
  return { insert: [...effective, ...others], removed: sessions.reduce((sum, { removed }) => sum + removed, 0) };
}

/** Bodies by file and session, in log order. */
export function bySession(chunks: readonly WholeChunk[]): { session: Session; bodies: ChunkBody[] }[] {
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
