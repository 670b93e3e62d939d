/** A settled segment that may be joined with its neighbors in the file. */
export interface LooseSegment {
  readonly offset: number;
  readonly length: number;
}

/** Minimum number of adjacent segments for a join. */
export const minJoined = 128;
/**
 * Maximum file bytes in one joined segment. Segments of at least half this size are never joined
 * again.
 */
export const maxJoinedBytes = 4 * 1024 * 1024;

/**
 * Decides which adjacent segments to join. Returns groups in offset order, each with at least two
 * segments and at most {@link maxJoinedBytes}. `segments` must be in offset order and shorter than
 * half of the maximum, but need not be adjacent.
 *
 * Works backward from the newest segment of each contiguous range. A group takes an older segment
 * only if that segment is not longer than the group so far. So a byte is copied again only when its
 * segment at least doubles: about 12 times from the first 1 KiB to 4 MiB. Except for the newest
 * {@link minJoined} segments of a range, the length doubles from each segment to the one before.
 */
export function planJoins<T extends LooseSegment>(segments: readonly T[]): T[][] {
  const groups: T[][] = [];
  let end = segments.length;
  while (end > 0) {
    let start = end - 1;
    let bytes = segments[start]!.length;
    const isAdjacent = (at: number): boolean => at > 0 && segments[at - 1]!.offset + segments[at - 1]!.length === segments[at]!.offset;
    while (isAdjacent(start) && (end - start < minJoined || segments[start - 1]!.length <= bytes)) bytes += segments[--start]!.length;
    if (end - start >= minJoined) groups.unshift(...inPieces(segments.slice(start, end)));
    end = start;
  }
  return groups;
}

/**
 * Cuts a group where it would exceed the maximum. A piece with a single segment remains unchanged.
 */
function inPieces<T extends LooseSegment>(group: readonly T[]): T[][] {
  const pieces: T[][] = [];
  let bytes = Infinity;
  for (const segment of group) {
    if (bytes + segment.length > maxJoinedBytes) {
      pieces.push([]);
      bytes = 0;
    }
    pieces.at(-1)!.push(segment);
    bytes += segment.length;
  }
  return pieces.filter(({ length }) => length > 1);
}
