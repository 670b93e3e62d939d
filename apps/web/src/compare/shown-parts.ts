import type { ExperimentContents } from '../experiment/experiment-context.ts';
import { type Compared, namesIn } from './compared-run.ts';

/** The shown part of one experiment, with the run names that this experiment uses. */
export interface ShownPart {
  readonly id: string;
  /** Empty for the page's own experiment. */
  readonly prefix: string;
  /** Null means all runs. */
  readonly runs: readonly string[] | null;
}

/** The experiments with at least one shown run. `own`: the page's experiment. */
export function shownParts({ runs, shown, compared }: Pick<ExperimentContents, 'runs' | 'shown' | 'compared'>, own: string): ShownPart[] {
  const all = runs.map(({ run }) => run);
  return [{ id: own, prefix: '' }, ...compared].flatMap(({ id, prefix }) => {
    const chosen = namesIn(prefix, [...shown]);
    if (chosen.length === 0) return [];
    return [{ id, prefix, runs: chosen.length === namesIn(prefix, all).length ? null : chosen }];
  });
}

/**
 * The runs and tags to request from each experiment. `runs`: names as on the page; null means all
 * runs.
 */
export function partsWanted(own: string, compared: readonly Compared[], runs: readonly string[] | null): ShownPart[] {
  return [{ id: own, prefix: '' }, ...compared].flatMap(({ id, prefix }) => {
    const names = runs && namesIn(prefix, runs);
    return names?.length === 0 ? [] : [{ id, prefix, runs: names }];
  });
}
