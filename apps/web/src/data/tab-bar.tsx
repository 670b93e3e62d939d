import { memo, type MouseEvent, useEffect, useRef } from 'react';
import { type Tab, viewParameters } from '#charts';
import { usePage } from '../app/page-context.ts';
import { isPlainClick } from '../app/plain-click.ts';
import { changeView } from '../experiment/change-view.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';
import { useHasLogs } from '../logs/use-has-logs.ts';
import { useUnlistedTensors } from './points/unlisted-tensors.ts';
import { tabNames, tabsOf } from './tabs.ts';
import { useTab } from './use-tab.ts';

/** The kinds of data, as links. Each kind has its own URL. */
export const TabBar = memo(function TabBar() {
  const { tags, runs } = useContents();
  const chosen = useTab();
  const present = tabsOf(tags, runs, useHasLogs(), useUnlistedTensors().length > 0);
  if (present.length < 2 && present.includes(chosen)) return null;
  return (
    <nav className="tabs" aria-label="Data types">
      {present.map((tab) => (
        <TabLink key={tab} tab={tab} chosen={tab === chosen} />
      ))}
    </nav>
  );
});

function TabLink({ tab, chosen }: { readonly tab: Tab; readonly chosen: boolean }) {
  const { view, id } = useWorld();
  const { base } = usePage();
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    // Some tabs are not visible on a phone
    if (chosen) link.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [chosen]);
  const text = viewParameters({ ...view.value, tab, card: null }).toString();
  const go = (event: MouseEvent): void => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    changeView(view, { tab, card: null });
  };
  return (
    <a ref={link} href={`${base}/e/${id}${text === '' ? '' : `?${text}`}`} aria-current={chosen ? 'page' : undefined} onClick={go}>
      {tabNames[tab]}
    </a>
  );
}
