import { fileLabel } from '../local/file-label.ts';
import type { Receipt } from '../receipt/receipt.ts';

/**
 * A problem in a file: something was skipped, or the file ends there. `file` is `run/name`, as in
 * the log directory.
 */
export interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly reason: string;
}

/** The stored data of the runs in one log directory, including superseded points. */
export interface Stored {
  /** Number of listed runs; a folder without readable files does not count. */
  readonly runs: number;
  readonly points: number;
  /** How many of the points, tensors and blobs are superseded by a later point of their series. */
  readonly superseded: number;
  readonly tensors: number;
  readonly blobs: number;
  readonly damaged: readonly Damage[];
}

/**
 * Counts the stored data of these runs, and lists data in them that could not be read. Blobs are
 * counted for the whole experiment, because they cannot be separated by run. If the receipt does
 * not count blobs, counts their sequences. `listed` are the names of the experiment's runs.
 */
export function storedFrom(receipt: Receipt, runs: ReadonlySet<string>, listed: readonly string[]): Stored {
  const own = receipt.series.filter((series) => runs.has(series.run));
  const points = (dataClass: string): number =>
    own.filter((series) => series.dataClass === dataClass).reduce((sum, series) => sum + series.points, 0);
  const damaged = receipt.problems
    .filter((problem) => runs.has(problem.run))
    .map(({ run, file, offset, reason }) => ({ file: fileLabel({ run, name: file }), offset, reason }));
  const superseded = own.reduce((sum, series) => sum + series.superseded, 0);
  const visible = listed.filter((run) => runs.has(run)).length;
  return {
    runs: visible,
    points: points('scalar'),
    superseded,
    tensors: points('tensor'),
    blobs: receipt.blobs ?? points('blob_sequence'),
    damaged,
  };
}
