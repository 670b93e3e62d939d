import type { PointColumns } from '#model';

/**
 * Maximum number of points in a chunk. Every decoder rejects a larger count before it allocates
 * memory.
 */
export const maxChunkPoints = 4096;

/**
 * The ordinals of a chunk's points. They rise, except in an effective chunk whose steps were logged
 * out of order. A point with ordinal n is the n-th (from 0) of its series in its file, so the
 * ordinal is its position in log order inside the file. `column` is null if the ordinals are first,
 * first + 1, …; otherwise it has one exact integer below 2^53 per point, with `column[0] ===
 * first`.
 */
export interface Ordinals {
  readonly first: number;
  readonly column: Float64Array | null;
}

/**
 * The content of a chunk's body: its points, by step if they are effective, otherwise in log order,
 * and their ordinals.
 */
export interface ChunkBody {
  readonly points: PointColumns;
  readonly ordinals: Ordinals;
}

/**
 * Stored bytes that are not a valid chunk body or tail block. The message explains what is wrong;
 * it is never a user's fault.
 */
export class CorruptChunkError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'CorruptChunkError';
  }
}
