import { fileLabel } from '../local/file-label.ts';
import type { Receipt } from '../receipt/receipt.ts';

/** A place in a file that was skipped or ends it. `file` is `run/name`, as in the log directory. */
export interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly reason: string;
}

/** What the service holds of the runs of one log directory, superseded points included. */
export interface Stored {
  /** Runs that are listed; a folder of whose files nothing can be read is none. */
  readonly runs: number;
  readonly points: number;
  /** How many of the points, tensors and blobs a later point of their series replaces. */
  readonly superseded: number;
  readonly tensors: number;
  readonly blobs: number;
  readonly damaged: readonly Damage[];
}

/**
 * Counts what is stored from these runs, and names what could not be read in them. Blobs are counted for the whole experiment (nothing
 * tells them apart by run), and by their sequences where the receipt does not count them. `listed` are the names of the experiment's runs.
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
