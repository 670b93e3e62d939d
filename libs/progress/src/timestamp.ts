/**
 * A logical time (Naiad, SOSP 2013, section 2.1): a message's input epoch and one counter for each
 * loop around it, outermost first. All are whole numbers from 0 to 2^53 - 1.
 */
export interface Timestamp {
  readonly epoch: number;
  readonly counters: readonly number[];
}

const noCounters: readonly number[] = [];

/**
 * `timestamp(3)` outside loops, `timestamp(3, 0, 2)` inside two loops. Throws RangeError for
 * anything but non-negative whole numbers.
 */
export function timestamp(epoch: number, ...counters: readonly number[]): Timestamp {
  for (const part of [epoch, ...counters]) {
    if (!Number.isSafeInteger(part) || part < 0) throw new RangeError(`a timestamp has whole numbers from 0 on, not ${part}`);
  }
  return { epoch, counters: counters.length === 0 ? noCounters : counters };
}

/**
 * Compares counters lexicographically. Returns a negative number, 0 or a positive number. Times at
 * the same location have the same number of counters.
 */
export function compareCounters(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    const difference = a[i]! - b[i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * The order defined in the paper: the epoch is not larger, and the counters are not
 * lexicographically larger. The order is partial: an early epoch late in a loop and a late epoch
 * early in the loop are not ordered, because neither waits for the other.
 */
export function lessEqual(a: Timestamp, b: Timestamp): boolean {
  return a.epoch <= b.epoch && compareCounters(a.counters, b.counters) <= 0;
}

export function sameTime(a: Timestamp, b: Timestamp): boolean {
  return a.epoch === b.epoch && a.counters.length === b.counters.length && compareCounters(a.counters, b.counters) === 0;
}

/** A form for display and for map keys: `3` or `3:0.2`. */
export function timeText(time: Timestamp): string {
  return time.counters.length === 0 ? String(time.epoch) : `${time.epoch}:${time.counters.join('.')}`;
}
