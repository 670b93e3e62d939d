import { limits } from '#model';
import { combineCrc32c } from '#records';

/** A byte range of a file, with the CRC-32C of its bytes. */
export interface Range {
  readonly offset: number;
  readonly length: number;
  readonly crc32c: number;
}

/** A range in the ledger. `epoch` is null while it is beyond the prefix. */
export interface KnownRange extends Range {
  readonly epoch: number | null;
}

/** What the ledger says about a locked file. */
export interface FileState {
  readonly durableOffset: number;
  readonly crc32c: number;
  /**
   * End of the bytes that a joined original covers or that are no longer kept. The segments of
   * these bytes were removed.
   */
  readonly originalEnd: number;
  /** All ranges beyond the prefix, and the ranges of the prefix that overlap a requested range. */
  readonly known: readonly KnownRange[];
}

/** The result for one requested range. */
export type Verdict =
  | { readonly kind: 'new' }
  /** The same range exists: in the prefix since `epoch`, or still beyond the prefix (null). */
  | { readonly kind: 'same'; readonly epoch: number | null }
  /**
   * The range is inside the joined original, or inside a longer segment of the prefix that may have
   * been joined from several segments. Only a comparison of bytes can show whether it is the same
   * range.
   */
  | { readonly kind: 'in-original' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'beyond-window' };

/** How a batch of appends affects one file. */
export interface AppendPlan {
  /** One per requested range, in order. */
  readonly verdicts: readonly Verdict[];
  /** Known ranges beyond the old prefix that the new prefix includes. */
  readonly reached: readonly KnownRange[];
  /** New end of the prefix. */
  readonly durableOffset: number;
  readonly crc32c: number;
  /** Ranges beyond the new prefix. */
  readonly kept: readonly KeptRange[];
}

/** Bytes beyond the prefix. Touching ranges are joined. */
export interface KeptRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * Decides which appends of a batch to accept, in request order. Stored ranges never overlap. The
 * same range with the same checksum is a repeated append. A part of a longer range in the prefix
 * may be a repeated append. Every other overlap is a conflict. Adjacent ranges extend the prefix.
 *
 * ```ts
 * const file = { durableOffset: 100, crc32c: 0, originalEnd: 0, known: [] };
 * const plan = planAppends(file, [
 *   { offset: 150, length: 10, crc32c: 1 },
 *   { offset: 100, length: 50, crc32c: 2 },
 *   { offset: 155, length: 10, crc32c: 3 },
 * ]);
 * assert.deepEqual(plan.verdicts.map(({ kind }) => kind), ['new', 'new', 'conflict']);
 * assert.equal(plan.durableOffset, 160); // the second range fills the gap before the first one
 * ```
 */
export function planAppends(file: FileState, asked: readonly Range[]): AppendPlan {
  const taken = [...file.known];
  const added = new Set<KnownRange>();
  const verdicts = asked.map((range): Verdict => {
    const verdict = judge(file, taken, range);
    if (verdict.kind === 'new') {
      const fresh = { ...range, epoch: null };
      taken.push(fresh);
      added.add(fresh);
    }
    return verdict;
  });

  let { durableOffset, crc32c } = file;
  const reached: KnownRange[] = [];
  const kept: KnownRange[] = [];
  for (const range of taken.filter(({ offset }) => offset >= file.durableOffset).sort((a, b) => a.offset - b.offset)) {
    if (range.offset === durableOffset) {
      durableOffset += range.length;
      crc32c = combineCrc32c(crc32c, range.crc32c, range.length);
      if (!added.has(range)) reached.push(range);
    } else {
      kept.push(range);
    }
  }
  return { verdicts, reached, durableOffset, crc32c, kept: joinTouching(kept) };
}

/** Joins touching ranges. The input is sorted and does not overlap. */
export function joinTouching(ranges: readonly KeptRange[]): KeptRange[] {
  const joined: { offset: number; length: number }[] = [];
  for (const { offset, length } of ranges) {
    const last = joined.at(-1);
    if (last && last.offset + last.length === offset) last.length += length;
    else joined.push({ offset, length });
  }
  return joined;
}

/**
 * Maximum ranges beyond one prefix, so that reading them under the file's lock stays cheap. The
 * window can hold 256 ranges of 1 MiB.
 */
export const maxKeptRanges = 1024;

function judge(file: FileState, taken: readonly KnownRange[], range: Range): Verdict {
  const end = range.offset + range.length;
  if (end <= file.originalEnd) return { kind: 'in-original' };
  if (range.offset < file.originalEnd) return { kind: 'conflict' };
  const overlap = taken.find((other) => other.offset < end && other.offset + other.length > range.offset);
  if (overlap) {
    const same = overlap.offset === range.offset && overlap.length === range.length && overlap.crc32c === range.crc32c;
    if (same) return { kind: 'same', epoch: overlap.epoch };
    const isInside = overlap.epoch !== null && overlap.length > range.length && overlap.offset <= range.offset;
    return { kind: isInside && overlap.offset + overlap.length >= end ? 'in-original' : 'conflict' };
  }
  if (range.offset === file.durableOffset) return { kind: 'new' };
  if (range.offset > file.durableOffset + limits.uploadWindowBytes || taken.length >= maxKeptRanges) return { kind: 'beyond-window' };
  return { kind: 'new' };
}
