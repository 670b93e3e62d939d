import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { addressOf, experimentPathOf, type View, viewOfAddress } from '#charts';
import type { Store } from '../app/store.ts';

/**
 * Changes of the view within this time, in milliseconds, form one history entry, because typing and
 * sliding create many views.
 */
const settledMs = 250;

/**
 * Keeps the URL and the view in sync: changes on the page update the URL, and back and forward
 * update the page.
 */
export function useAddress(view: Store<View>): void {
  const { history } = useRouter();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let written = view.value;
    let isWriting = false;
    const own = experimentPathOf(history.location.pathname);
    const read = ({ pathname, search }: typeof history.location): void => {
      if (isWriting || experimentPathOf(pathname) !== own) return; // the view may be ahead of the URL
      const asked = viewOfAddress(pathname, search);
      if (addressOf(asked) !== addressOf(view.value)) view.set(asked);
      written = view.value;
    };
    const write = (): void => {
      timer = undefined;
      const text = addressOf(view.value);
      const { pathname, search: present } = history.location;
      if (experimentPathOf(pathname) !== own || text === addressOf(viewOfAddress(pathname, present))) return;
      const to = own + text;
      isWriting = true;
      if (isStep(written, view.value)) history.push(to);
      else history.replace(to);
      isWriting = false;
      written = view.value;
    };
    const unsubscribe = history.subscribe(({ location }) => read(location));
    const end = view.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(write, isStep(written, view.value) ? 0 : settledMs);
    });
    return () => {
      unsubscribe();
      end();
      clearTimeout(timer);
    };
  }, [view, history]);
}

/**
 * Whether a change creates a history entry, so that the back button reverts it. Selecting another
 * kind of data or another single card, opening or closing an image, and changing the range, the
 * axes, the tags or the experiments create an entry. All other changes are adjustments.
 */
function isStep(before: View, after: View): boolean {
  return (
    before.tab !== after.tab ||
    before.about !== after.about ||
    before.card !== after.card ||
    (before.image === null) !== (after.image === null) ||
    before.range !== after.range ||
    before.yRanges !== after.yRanges ||
    before.xAxis !== after.xAxis ||
    before.xScale !== after.xScale ||
    before.yScale !== after.yScale ||
    before.also !== after.also ||
    before.compare !== after.compare ||
    before.pinned !== after.pinned ||
    before.cardOrder !== after.cardOrder ||
    before.wide !== after.wide ||
    before.panels !== after.panels
  );
}
