import type { ExperimentJson } from '../api/types.ts';
import { usePage } from '../app/page-context.ts';
import { useMay } from '../app/use-may.ts';

/** What the head of an experiment's page opens. */
export type HeadAction = 'compare' | 'notes' | 'share';

/** What a button of the head knows: whether its part is open, and how to say so. */
export interface HeadButtonProps {
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** Whether there is anything to read. */
export function isNoted({ notes }: ExperimentJson): boolean {
  return notes !== null && notes !== '';
}

/** What the reader is offered: notes where there are any, or where they may write some; links where they may make them. A visitor has no other experiment to choose. */
export function useHeadActions(experiment: ExperimentJson, isCompared: boolean): HeadAction[] {
  const { reader } = usePage();
  const may = useMay();
  const offered: Readonly<Record<HeadAction, boolean>> = {
    compare: reader !== null || isCompared,
    notes: isNoted(experiment) || (may('experiment.update') && experiment.snapshot === null),
    share: may('experiment.share', experiment.owner?.id ?? null),
  };
  return (['compare', 'notes', 'share'] as const).filter((action) => offered[action]);
}
