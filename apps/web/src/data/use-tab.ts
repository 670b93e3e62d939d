import type { Tab } from '#charts';
import { useContents, useView } from '../experiment/experiment-context.ts';
import { tabsOf } from './tabs.ts';

/**
 * The current tab. It comes from the URL; otherwise it is scalars, or the first kind of data if the
 * experiment has no scalars.
 */
export function useTab(): Tab {
  const { tags, runs } = useContents();
  const chosen = useView(({ tab }) => tab);
  const present = tabsOf(tags, runs);
  return chosen === 'scalars' && !present.includes(chosen) ? (present.find((tab) => tab !== 'runs') ?? chosen) : chosen;
}
