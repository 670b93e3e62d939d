import { plainView, type View, visibleText } from '#charts';
import { runText } from '../compare/compared-run.ts';
import { tabNames, tabsOf } from '../data/tabs.ts';
import { scalarTags } from './card-rows.ts';
import type { ExperimentContents } from './experiment-context.ts';

/** Something that can be done or gone to. */
export interface PaletteItem {
  readonly name: string;
  readonly kind: string;
  /** What changes in the view; null: to the list of experiments. */
  readonly change: Partial<View> | null;
}

/** Rows that are shown at most. */
const mostItems = 50;

/** What one can go to from a page, those that have all the typed words in their name or kind; names that begin with what was typed come first. */
export function paletteItems({ tags, runs }: Pick<ExperimentContents, 'tags' | 'runs'>, typed: string): PaletteItem[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const all: PaletteItem[] = [
    ...tabsOf(tags, runs).map((tab) => ({ name: tabNames[tab], kind: 'go to', change: { tab, card: null } })),
    { name: 'Reset zoom', kind: 'do', change: { range: null } },
    { name: 'Show all runs', kind: 'do', change: { onlyRuns: null, hiddenRuns: [], runFilter: '' } },
    { name: 'Reset the view', kind: 'do', change: plainView },
    { name: 'All experiments', kind: 'go to', change: null },
    ...scalarTags(tags, '').map((tag) => ({ name: visibleText(tag), kind: 'chart', change: { tab: 'scalars' as const, card: tag } })),
    ...runs.map(({ run }) => ({ name: runText(run), kind: 'only run', change: { onlyRuns: [run], hiddenRuns: [] } })),
  ];
  const matching = all.filter(({ name, kind }) => words.every((word) => `${kind} ${name}`.toLowerCase().includes(word)));
  const begins = ({ name }: PaletteItem): number => Number(!name.toLowerCase().startsWith(typed.toLowerCase().trim()));
  return matching.toSorted((a, b) => begins(a) - begins(b)).slice(0, mostItems);
}
