import { compareCounters, type Timestamp } from './timestamp.ts';

/**
 * The effect of a path on a timestamp. Ingress appends a counter 0, egress drops the last counter,
 * feedback adds 1 to it. Combined in any order, they keep the first `keep` counters, add `add` to
 * the last one kept, and append `append`. The epoch never changes.
 */
export interface PathSummary {
  readonly keep: number;
  readonly add: number;
  readonly append: readonly number[];
}

/** A vertex's effect on the time of a message that passes through it. */
export type Action = 'none' | 'ingress' | 'egress' | 'feedback';

/** The summary of a path without vertices, from a location with `depth` counters. */
export function identity(depth: number): PathSummary {
  return { keep: depth, add: 0, append: [] };
}

/**
 * The summary of the path extended by a vertex. Throws RangeError if there is no counter for egress
 * or feedback.
 */
export function through(summary: PathSummary, action: Action): PathSummary {
  const { keep, add, append } = summary;
  switch (action) {
    case 'none':
      return summary;
    case 'ingress':
      return { keep, add, append: [...append, 0] };
    case 'egress':
      if (append.length > 0) return { keep, add, append: append.slice(0, -1) };
      if (keep === 0) throw new RangeError('egress outside of a loop');
      return { keep: keep - 1, add: 0, append: [] };
    case 'feedback':
      if (append.length > 0) return { keep, add, append: [...append.slice(0, -1), append.at(-1)! + 1] };
      if (keep === 0) throw new RangeError('feedback outside of a loop');
      return { keep, add: add + 1, append: [] };
  }
}

/** The time that a message starting with `time` has at the end of the path. */
export function applySummary({ keep, add, append }: PathSummary, time: Timestamp): Timestamp {
  if (add === 0 && append.length === 0 && keep === time.counters.length) return time;
  const counters = time.counters.slice(0, keep);
  if (add > 0) counters[keep - 1]! += add;
  counters.push(...append);
  return { epoch: time.epoch, counters };
}

/**
 * Whether `summary` maps `from` to a time at or below `to`. Does not create that time, because this
 * is the inner step of could-result-in.
 */
export function arrivesBy({ keep, add, append }: PathSummary, from: Timestamp, to: Timestamp): boolean {
  if (from.epoch > to.epoch) return false;
  for (let i = 0; i < keep; i++) {
    const difference = from.counters[i]! + (i === keep - 1 ? add : 0) - to.counters[i]!;
    if (difference !== 0) return difference < 0;
  }
  for (let i = 0; i < append.length; i++) {
    const difference = append[i]! - to.counters[keep + i]!;
    if (difference !== 0) return difference < 0;
  }
  return true;
}

/**
 * Whether `a` maps every time to a time at or below the time that `b` maps it to. Both must belong
 * to paths between the same two locations. If neither is below the other (e.g. leaving and
 * re-entering a loop compared with staying in it), both are kept.
 */
export function summaryLessEqual(a: PathSummary, b: PathSummary): boolean {
  if (a.keep === b.keep) return a.add !== b.add ? a.add < b.add : compareCounters(a.append, b.append) <= 0;
  if (a.keep > b.keep) return b.add > 0; // b is larger at its last kept counter; otherwise its constants face unbounded counters
  if (a.add > 0) return false;
  // After the counters that both keep, b has counters from the time. They are 0 or more, so b is
  // smallest when they are 0.
  const zeros = new Array<number>(b.keep - a.keep - 1).fill(0);
  return compareCounters(a.append, [...zeros, b.add, ...b.append]) <= 0;
}
