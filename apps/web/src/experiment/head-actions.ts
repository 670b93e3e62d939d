import type { ExperimentJson } from '../api/types.ts';
import { usePage } from '../app/page-context.ts';
import { useMay } from '../app/use-may.ts';

/** Actions in the head of an experiment's page. */
export type HeadAction = 'compare' | 'views' | 'notes' | 'export' | 'snapshot' | 'share';

/**
 * The state of a button in the head: whether its dialog is open, and a callback that changes this.
 */
export interface HeadButtonProps {
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** Whether there are any notes, labels or descriptions. */
export function isNoted({ notes }: ExperimentJson): boolean {
  return notes !== null && notes !== '';
}

/**
 * The actions that the reader is offered: notes if there are any or if the reader may write them,
 * links if the reader may create them, and exports and snapshots if the reader may add to the
 * workspace. Visitors have no other experiments to compare.
 */
export function useHeadActions(experiment: ExperimentJson, isCompared: boolean): HeadAction[] {
  const { reader } = usePage();
  const may = useMay();
  const offered: Readonly<Record<HeadAction, boolean>> = {
    compare: reader !== null || isCompared,
    views: reader !== null,
    notes: isNoted(experiment) || (may('experiment.update') && experiment.snapshot === null),
    export: may('experiment.export'),
    snapshot: may('experiment.snapshot') && experiment.snapshot === null,
    share: may('experiment.share', experiment.owner?.id ?? null),
  };
  return (['compare', 'views', 'notes', 'export', 'snapshot', 'share'] as const).filter((action) => offered[action]);
}
