/**
 * Determines from wall times which of a run's event files were written after which others (data
 * rule 2). Pure: a function of the files and their times.
 */

/** The properties of an event file as a writer. */
export interface WriterFile {
  readonly fileId: string;
  readonly name: string;
  readonly version: number;
  /**
   * Smallest and largest finite wall time of the file's events, in seconds; null if there are none.
   */
  readonly firstWallTime: number | null;
  readonly lastWallTime: number | null;
}

/** A run's writers by rank, from 0, in the order in which they started. */
export interface WriterOrder {
  readonly count: number;
  /**
   * The rank of the first writer that started after this writer's last event; that writer and all
   * following ones are later. `count` if there is none.
   */
  laterFrom(rank: number): number;
  /** The lane of a writer: writers of one lane never overlap in time. */
  lane(rank: number): number;
}

/**
 * Files in the order in which they started: by first wall time, then name bytes, version and id.
 * Files without a finite wall time come first, and each is treated as ending before the next
 * starts.
 */
export function compareWriters(a: WriterFile, b: WriterFile): number {
  const [firstA, firstB] = [a.firstWallTime ?? -Infinity, b.firstWallTime ?? -Infinity];
  if (firstA !== firstB) return firstA < firstB ? -1 : 1;
  return (
    Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) ||
    a.version - b.version ||
    a.fileId.length - b.fileId.length ||
    (a.fileId < b.fileId ? -1 : 1)
  );
}

/**
 * The order of files that are sorted by {@link compareWriters}. O(files · log files + files ·
 * lanes).
 *
 * ```ts
 * const file = (name: string, firstWallTime: number, lastWallTime: number) =>
 *   ({ fileId: name, name, version: 0, firstWallTime, lastWallTime });
 * const order = writerOrder([file('a', 0, 60), file('b', 30, 90), file('c', 70, 99)]);
 * assert.deepEqual([0, 1, 2].map(order.lane), [0, 1, 0]); // c started after a had ended
 * assert.equal(order.laterFrom(1), 3); // no file is later than b
 * ```
 */
export function writerOrder(files: readonly WriterFile[]): WriterOrder {
  const later = files.map((file, rank) => (file.lastWallTime === null ? rank + 1 : firstAfter(files, file.lastWallTime)));
  const free: number[] = [];
  const lanes = files.map((_, rank) => {
    const open = free.findIndex((from) => from <= rank);
    const lane = open < 0 ? free.length : open;
    free[lane] = later[rank]!;
    return lane;
  });
  return { count: files.length, laterFrom: (rank) => later[rank]!, lane: (rank) => lanes[rank]! };
}

/** The first of the sorted files that started after this time. */
function firstAfter(files: readonly WriterFile[], time: number): number {
  let low = 0;
  let high = files.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((files[middle]!.firstWallTime ?? -Infinity) > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Writers that follow one another, in one lane. */
export function oneAfterAnother(count: number): WriterOrder {
  return { count, laterFrom: (rank) => rank + 1, lane: () => 0 };
}
