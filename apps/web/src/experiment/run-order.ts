import { naturally } from '#charts';
import type { RunJson } from '../api/types.ts';

/**
 * Sorts by start time, so that later runs are added at the end and do not change the colors of
 * other runs. Runs without a start time come last, by name.
 */
export function inOrderOfBeginning(runs: readonly RunJson[]): RunJson[] {
  const begin = ({ start_time: time }: RunJson): number => (time === null || !Number.isFinite(Number(time)) ? Infinity : Number(time));
  return runs.toSorted((a, b) => compare(begin(a), begin(b)) || naturally(a.run, b.run));
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
