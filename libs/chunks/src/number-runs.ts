import type { ByteReader, ByteWriter } from './bytes.ts';
import { CorruptChunkError } from './chunk.ts';

/**
 * Writes a column of non-negative integers as runs of equal differences:
 *
 * ```
 * difference to the number before (zigzag varint; of the first one, to 0), how often (varint), …
 * ```
 *
 * Small numbers that are all the same, or count up, need two to six bytes.
 */
export function writeRuns(out: ByteWriter, numbers: readonly number[]): void {
  let before = 0;
  for (let from = 0; from < numbers.length;) {
    const difference = numbers[from]! - before;
    let to = from + 1;
    while (to < numbers.length && difference === numbers[to]! - numbers[to - 1]!) to++;
    out.signed(difference);
    out.varint(to - from);
    before = numbers[to - 1]!;
    from = to;
  }
}

/**
 * Reads `length` numbers that {@link writeRuns} wrote. Throws {@link CorruptChunkError} if there
 * are more numbers, or if any are negative or inexact.
 */
export function readRuns(input: ByteReader, length: number): Float64Array {
  const numbers = new Float64Array(length);
  let number = 0;
  for (let at = 0; at < length;) {
    const difference = input.signed();
    const times = input.varint();
    if (times === 0 || at + times > length) throw new CorruptChunkError('a run of numbers has an impossible length');
    const [first, last] = [number + difference, number + difference * times];
    if (first < 0 || last < 0 || Math.max(first, last) > Number.MAX_SAFE_INTEGER)
      throw new CorruptChunkError('a run of numbers exceeds its range');
    for (const end = at + times; at < end; at++) numbers[at] = number += difference;
  }
  return numbers;
}
