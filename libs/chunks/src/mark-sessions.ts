/**
 * Determines from scratch which points of one tag and run are superseded (data rule 2). The result
 * depends only on the points, the STARTs and the writers, not on the order or the pieces in which
 * they arrived.
 */
import { markSession } from './mark-session.ts';
import type { SeriesCut } from './series-update.ts';
import type { WriterOrder } from './writers.ts';

/** The points of one file between two STARTs, in log order. */
export interface SessionSteps {
  /**
   * The rank of the file among the run's writers; negative if the file does not count, which means
   * that all its points are superseded.
   */
  readonly fileRank: number;
  /** Offset of the START before the points in their file; 0 if there is none. */
  readonly afterOffset: number;
  readonly steps: BigInt64Array;
}

/**
 * Returns the marks of each session: 1 for each superseded point. A point is superseded by the rule
 * inside its session ({@link markSession}). It is also superseded by a later point or counting
 * START (`cuts`) with a step that is not larger, in a later session of its file or from a later
 * writer.
 */
export function markSessions(sessions: readonly SessionSteps[], cuts: readonly SeriesCut[], order: WriterOrder): Uint8Array[] {
  const min = sessions.map(({ steps }) => minOf(steps));
  const ofFiles = new Array<bigint | null>(order.count + 1).fill(null);
  sessions.forEach(({ fileRank }, i) => {
    if (fileRank >= 0) ofFiles[fileRank] = smaller(ofFiles[fileRank]!, min[i]!);
  });
  for (const { fileRank, step } of cuts) ofFiles[fileRank] = smaller(ofFiles[fileRank]!, step);
  const fromRank = [...ofFiles];
  for (let rank = order.count - 1; rank >= 0; rank--) fromRank[rank] = smaller(fromRank[rank]!, fromRank[rank + 1]!);

  const inFile = floorsInFiles(sessions, min, cuts);
  return sessions.map(({ fileRank, steps }, i) => {
    if (fileRank < 0) return new Uint8Array(steps.length).fill(1);
    const marks = markSession(steps);
    const floor = smaller(inFile[i]!, fromRank[order.laterFrom(fileRank)]!);
    if (floor !== null) for (let at = 0; at < steps.length; at++) if (steps[at]! >= floor) marks[at] = 1;
    return marks;
  });
}

/** For each session, the smallest step of the later sessions and later STARTs of its file. */
function floorsInFiles(sessions: readonly SessionSteps[], min: readonly (bigint | null)[], cuts: readonly SeriesCut[]): (bigint | null)[] {
  const entries = [
    ...sessions.map(({ fileRank, afterOffset }, i) => ({ fileRank, offset: afterOffset, step: min[i]!, session: i })),
    ...cuts.map(({ fileRank, offset, step }) => ({ fileRank, offset, step, session: -1 })),
  ].sort((a, b) => a.fileRank - b.fileRank || a.offset - b.offset || b.session - a.session);
  const floors = new Array<bigint | null>(sessions.length).fill(null);
  // Iterates from the end. A START has the offset after which its session's points come, so it does
  // not affect them.
  let floor: bigint | null = null;
  for (let end = entries.length; end > 0;) {
    const { fileRank, offset } = entries[end - 1]!;
    if (end === entries.length || entries[end]!.fileRank !== fileRank) floor = null;
    let begin = end;
    while (begin > 0 && entries[begin - 1]!.fileRank === fileRank && entries[begin - 1]!.offset === offset) begin--;
    const group = entries.slice(begin, end);
    for (const { session } of group) if (session >= 0) floors[session] = floor;
    for (const { step } of group) floor = smaller(floor, step);
    end = begin;
  }
  return floors;
}

function minOf(steps: BigInt64Array): bigint | null {
  let min: bigint | null = null;
  for (const step of steps) if (min === null || step < min) min = step;
  return min;
}

function smaller(a: bigint | null, b: bigint | null): bigint | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}
