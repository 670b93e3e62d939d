import type { ChunkBody } from './chunk.ts';
import { type ChunkDraft, draftChunks, type Session } from './chunk-draft.ts';
import { markSessions } from './mark-sessions.ts';
import { byStep, mergeBodies, selectBody } from './point-slices.ts';
import { bySession, type WholeChunk } from './remove-steps.ts';
import type { SeriesCut } from './series-update.ts';
import type { WriterOrder } from './writers.ts';

/** A chunk and the lane of its writer. */
export interface PlacedDraft {
  readonly lane: number;
  readonly draft: ChunkDraft;
}

/**
 * Returns all chunks of one tag in a run, according to data rule 2, computed from the current
 * chunks of all its writers. The heads' `fileRank` is the rank among the writers. It is negative
 * for a file that does not count; all its points go to lane 0 as superseded. `cuts`: the counting
 * STARTs.
 */
export function remarkSeries(chunks: readonly WholeChunk[], cuts: readonly SeriesCut[], order: WriterOrder): PlacedDraft[] {
  const sessions = bySession(chunks).map(({ session, bodies }) => ({ session, body: mergeBodies(bodies) }));
  const marks = markSessions(
    sessions.map(({ session: { fileRank, afterOffset }, body }) => ({ fileRank, afterOffset, steps: body.points.steps })),
    cuts,
    order,
  );
  return sessions.flatMap(({ session, body }, i) =>
    draftMarked(session, body, marks[i]!, session.fileRank < 0 ? 0 : order.lane(session.fileRank)),
  );
}

function draftMarked(session: Session, body: ChunkBody, marks: Uint8Array, lane: number): PlacedDraft[] {
  const drafts = [
    ...draftChunks(session, byStep(selectBody(body, marks, 0)), false),
    ...draftChunks(session, selectBody(body, marks, 1), true),
  ];
  return drafts.map((draft) => ({ lane, draft }));
}
