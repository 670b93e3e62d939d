import type { PointColumns } from '#model';

/** A chunk holds at most this many points. Every decoder refuses a larger claim before it allocates. */
export const maxChunkPoints = 4096;

/**
 * The ordinals of a chunk's points. They rise, except in an effective chunk whose steps were not logged in their order. The ordinal of a point says that it is the n-th (from 0) of its series in its file, so it
 * is the point's place in log order inside the file. `column` is null where they are first, first + 1, …; otherwise one exact
 * integer below 2^53 per point, `column[0] === first`.
 */
export interface Ordinals {
  readonly first: number;
  readonly column: Float64Array | null;
}

/** What a chunk's body holds: its points, by step if they are effective and else in log order, and their ordinals. */
export interface ChunkBody {
  readonly points: PointColumns;
  readonly ordinals: Ordinals;
}

/** Stored bytes that cannot be a chunk body or a tail block. The message names what does not fit; nothing of it is a user's fault. */
export class CorruptChunkError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'CorruptChunkError';
  }
}
