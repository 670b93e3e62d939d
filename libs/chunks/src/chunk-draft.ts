import type { FileId } from '#model';
import { encodeBody } from './body.ts';
import { type ChunkBody, maxChunkPoints } from './chunk.ts';
import { sliceBody, smallestOrdinal } from './point-slices.ts';
import { type Cells, rollups } from './rollup.ts';
import { type ChunkSummary, summarize } from './summary.ts';

/**
 * Identifies a chunk inside its series: no two chunks contain the same point, so the file and the
 * smallest ordinal are sufficient.
 */
export interface ChunkKey {
  readonly fileId: FileId;
  readonly firstOrdinal: number;
}

/** A chunk to be inserted as one row. */
export interface ChunkDraft {
  readonly fileId: FileId;
  readonly fileRank: number;
  readonly firstOrdinal: number;
  readonly superseded: boolean;
  /** See {@link ChunkHead.afterOffset}. */
  readonly afterOffset: number;
  readonly summary: ChunkSummary;
  /** Null in superseded chunks, because charts read only effective points from rollups. */
  readonly cells64: Cells | null;
  readonly cells512: Cells | null;
  /** See `body.ts`. */
  readonly body: Buffer;
}

/** Properties of a stored chunk that are known without reading its body. */
export interface ChunkHead {
  readonly key: ChunkKey;
  /**
   * The rank of the chunk's file among the run's files in log order (data rule 2). Only the order
   * counts.
   */
  readonly fileRank: number;
  /**
   * Offset of the last SessionLog START before the chunk's points in its file, counting or not; 0
   * if there is none. No chunk spans a START of its file, so a START at offset `o` comes after
   * exactly the chunks of its file with `afterOffset < o`.
   */
  readonly afterOffset: number;
  readonly count: number;
  /** In log order. */
  readonly firstStep: bigint;
  readonly lastStep: bigint;
  readonly superseded: boolean;
}

/** The unit that chunks are cut from: one file, between two STARTs. */
export interface Session {
  readonly fileId: FileId;
  readonly fileRank: number;
  readonly afterOffset: number;
}

/** The head that a draft has once it is stored. */
export function headOf(draft: ChunkDraft): ChunkHead {
  return {
    key: { fileId: draft.fileId, firstOrdinal: draft.firstOrdinal },
    fileRank: draft.fileRank,
    afterOffset: draft.afterOffset,
    count: draft.summary.count,
    firstStep: draft.summary.firstStep,
    lastStep: draft.summary.lastStep,
    superseded: draft.superseded,
  };
}

/**
 * Cuts the points of one session into full chunks and a last chunk with the remainder. Effective
 * points are in step order, superseded points in log order.
 */
export function draftChunks(session: Session, body: ChunkBody, superseded: boolean): ChunkDraft[] {
  const drafts: ChunkDraft[] = [];
  for (let from = 0; from < body.points.steps.length; from += maxChunkPoints) {
    const part = sliceBody(body, from, Math.min(from + maxChunkPoints, body.points.steps.length));
    const { cells64, cells512 } = superseded ? { cells64: null, cells512: null } : rollups(part.points);
    drafts.push({
      fileId: session.fileId,
      fileRank: session.fileRank,
      firstOrdinal: smallestOrdinal(part),
      superseded,
      afterOffset: session.afterOffset,
      summary: summarize(part.points),
      cells64,
      cells512,
      body: encodeBody(part.points, part.ordinals),
    });
  }
  return drafts;
}
