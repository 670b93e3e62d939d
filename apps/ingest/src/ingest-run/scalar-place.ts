/** What decides where the scalar points of a batch are stored. */
export interface ScalarBatch {
  readonly hasPoints: boolean;
  /** The batch has a START, counting or not. */
  readonly hasStarts: boolean;
  /** With the batch, some STARTs begin to count: they cut the stored points of the run. */
  readonly cutsStored: boolean;
  /** Points of the batch affect those of other writers. */
  readonly isApart: boolean;
  /** No file of its lane comes after the batch's file in log order. */
  readonly isLastOfLane: boolean;
}

/**
 * Where the scalar points of a batch are stored:
 * - `nowhere`: there are none, and the tail stays as it is.
 * - `tail`: after the tail, unless that is full or the batch is large; then as `chunks`.
 * - `chunks`: in chunks, together with the points of the tail.
 * - `chunks after tail`: in chunks, once the points of the tail are in chunks of their own.
 */
export type ScalarPlace = 'nowhere' | 'tail' | 'chunks' | 'chunks after tail';

/** Decides where the scalar points of a batch are stored, by the invariants of the tail. */
export function placeOf({ hasPoints, hasStarts, cutsStored, isApart, isLastOfLane }: ScalarBatch): ScalarPlace {
  // A START affects everything that the run has stored, so nothing may remain in the tail. One in
  // the batch also separates its points from those of the tail.
  if (hasStarts) return 'chunks after tail';
  if (cutsStored) return 'chunks';
  if (!hasPoints) return 'nowhere';
  // The tail comes last in log order, and its points meet no others.
  return isLastOfLane && !isApart ? 'tail' : 'chunks';
}
