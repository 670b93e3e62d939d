import { plainView, unzoomed, type View, visibleText } from '#charts';
import type { PaletteItem } from '../app/palette-items.ts';
import { inAddress, runText } from '../compare/compared-run.ts';
import { tabNames, tabsOf } from '../data/tabs.ts';
import { scalarTags } from './card-rows.ts';
import type { ExperimentContents } from './experiment-context.ts';
import type { HeadAction } from './head-actions.ts';

/** Additional items on an experiment's page: a change to the view, or an action in its head. */
export interface ExperimentItem extends PaletteItem {
  readonly change?: Partial<View>;
  readonly action?: HeadAction;
}

const actionNames: Readonly<Record<HeadAction, string>> = {
  compare: 'Compare with other experiments',
  views: 'Saved views',
  notes: 'Notes and labels',
  export: 'Export',
  snapshot: 'Snapshot',
  share: 'Share',
};

/**
 * The actions and destinations on an experiment's page. `actions`: the actions in its head.
 * `opening`: the view with which the experiment opens. `hasLogs`: whether its runs have logs.
 * `hasUnlisted`: whether they have tensors that lists of tags omit.
 */
export function experimentItems(
  { tags, runs, compared }: Pick<ExperimentContents, 'tags' | 'runs' | 'compared'>,
  actions: readonly HeadAction[],
  places: readonly PaletteItem[],
  opening: View = plainView,
  hasLogs = false,
  hasUnlisted = false,
): ExperimentItem[] {
  return [
    ...tabsOf(tags, runs, hasLogs, hasUnlisted).map((tab) => ({ name: tabNames[tab], kind: 'go to', change: { tab, card: null } })),
    ...actions.map((action) => ({ name: actionNames[action], kind: 'do', action })),
    { name: 'Reset zoom', kind: 'do', change: unzoomed },
    { name: 'Show all runs', kind: 'do', change: { onlyRuns: null, hiddenRuns: [], runFilter: '' } },
    { name: 'Reset the view', kind: 'do', change: opening },
    ...places,
    ...scalarTags(tags, '').map((tag) => ({ name: visibleText(tag), kind: 'chart', change: { tab: 'scalars' as const, card: tag } })),
    ...runs.map(({ run }) => ({ name: runText(run), kind: 'only run', change: { onlyRuns: inAddress([run], compared), hiddenRuns: [] } })),
  ];
}
