import { useEffect, useState } from 'react';
import type { Cell } from '../../runs/conditions.ts';
import { encodeNumbers, encodeTexts, type Feature } from './forest.ts';
import { allTrees, rateFeatures, type RatedImportance } from './importance.ts';

/** How long the page may compute without a pause, in milliseconds. */
const sliceMs = 12;
/** Interval between progress updates, in milliseconds. */
const progressMs = 150;

/** The data to rate: the hyperparameter columns, and the metric as a finite number for each row. */
export interface ImportanceInput {
  readonly columns: readonly (readonly Cell[])[];
  readonly target: Float64Array;
}

/** The state of the computation. */
export interface ImportanceState {
  /** Null until the result is known. */
  readonly result: RatedImportance | null;
  /** The fraction of the work that is done, from 0 to 1. */
  readonly progress: number;
}

/** Rates the hyperparameters in time slices, so that the page stays responsive. */
export function useImportance(input: ImportanceInput | null): ImportanceState {
  const [state, setState] = useState<(ImportanceState & { readonly of: ImportanceInput }) | null>(null);
  useEffect(() => {
    if (input === null) return;
    const ended = new AbortController();
    void rate(input, ended.signal, (progress, result) => setState({ of: input, progress, result }));
    return () => ended.abort();
  }, [input]);
  return state !== null && state.of === input ? state : { result: null, progress: 0 };
}

async function rate(
  { columns, target }: ImportanceInput,
  signal: AbortSignal,
  report: (progress: number, result: RatedImportance | null) => void,
): Promise<void> {
  const features: Feature[] = [];
  for (const column of columns) {
    await pause();
    if (signal.aborted) return;
    features.push(featureOf(column));
  }
  const work = rateFeatures(features, target);
  let [begun, shown] = [performance.now(), performance.now()];
  for (let trees = 1; ; trees++) {
    const next = work.next();
    if (next.done === true) return report(1, next.value);
    const now = performance.now();
    if (now - shown > progressMs) {
      report(trees / allTrees, null);
      shown = now;
    }
    if (now - begun < sliceMs) continue;
    await pause();
    if (signal.aborted) return;
    begun = performance.now();
  }
}

/** Lets the page draw and respond. */
function pause(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve));
}

/** Numbers are ordered. The values of a column that contains any text form sets. */
function featureOf(column: readonly Cell[]): Feature {
  const isNumeric = column.every((cell) => cell === null || typeof cell === 'number');
  return isNumeric ? encodeNumbers(column) : encodeTexts(column);
}
