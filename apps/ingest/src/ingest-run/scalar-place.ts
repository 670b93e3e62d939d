/** The facts that determine where the scalar points of a batch are stored. */
export interface ScalarBatch {
  readonly hasPoints: boolean;
  /** Whether the batch has any START, counting or not. */
  readonly hasStarts: boolean;
  /** Whether STARTs begin to count because of the batch. They cut the run's stored points. */
  readonly cutsStored: boolean;
  /** Whether points of the batch affect those of other writers. */
  readonly isApart: boolean;
  /** Whether the batch's file is the last one of its lane in log order. */
  readonly isLastOfLane: boolean;
}

/**
 * Where the scalar points of a batch are stored:
 * - `nowhere`: the batch has no points, and the tail stays unchanged.
 * - `tail`: at the end of the tail. If the tail is full or the batch is large, same as `chunks`.
 * - `chunks`: in chunks, together with the tail's points.
 * - `chunks after tail`: in chunks, after the tail's points were moved to their own chunks.
 */
export type ScalarPlace = 'nowhere' | 'tail' | 'chunks' | 'chunks after tail';

/** Decides where to store the scalar points of a batch, according to the invariants of the tail. */
export function placeOf({ hasPoints, hasStarts, cutsStored, isApart, isLastOfLane }: ScalarBatch): ScalarPlace {
  // A START affects everything that the run has stored, so nothing may remain in the tail. A START
  // in the batch also separates the batch's points from those in the tail.
  if (hasStarts) return 'chunks after tail';
  if (cutsStored) return 'chunks';
  if (!hasPoints) return 'nowhere';
  // The tail is last in log order, and no other writer affects its points.
  return isLastOfLane && !isApart ? 'tail' : 'chunks';
}
