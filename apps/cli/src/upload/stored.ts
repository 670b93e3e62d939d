import type { Api } from '../http/api.ts';
import { intField, stringField } from '../http/json.ts';

/** A place in a file that was skipped or ends it. `file` is `run/name`, as in the log directory. */
export interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly reason: string;
}

/** What the service holds of the runs of one log directory, superseded points included. */
export interface Stored {
  readonly points: number;
  readonly tensors: number;
  readonly blobs: number;
  readonly damaged: readonly Damage[];
}

/** Counts what is stored from these runs, and names what could not be read in them. */
export async function readStored(api: Api, experimentId: string, runs: ReadonlySet<string>): Promise<Stored> {
  const counts = { scalar: 0, tensor: 0, blob_sequence: 0 };
  for await (const series of api.pages(`/experiments/${experimentId}/series?unlisted=true`, 'series', 'Reading the series')) {
    if (!runs.has(stringField(series, 'run'))) continue;
    const dataClass = stringField(series, 'data_class');
    if (dataClass in counts) counts[dataClass as keyof typeof counts] += intField(series, 'points') + intField(series, 'superseded_points');
  }
  const damaged: Damage[] = [];
  for await (const problem of api.pages(`/experiments/${experimentId}/problems`, 'problems', 'Reading the problems')) {
    const run = stringField(problem, 'run');
    if (!runs.has(run)) continue;
    const name = stringField(problem, 'file');
    damaged.push({ file: run === '.' ? name : `${run}/${name}`, offset: intField(problem, 'offset'), reason: stringField(problem, 'reason') });
  }
  return { points: counts.scalar, tensors: counts.tensor, blobs: counts.blob_sequence, damaged };
}
