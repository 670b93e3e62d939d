import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { parseView, type View, viewParameters } from '#charts';
import type { Store } from '../app/store.ts';

/** Typing and sliding create many views; those in quick succession are one entry in the history. */
const settledMs = 250;

/**
 * Keeps the URL and the view in sync: changes in the page go to the URL, and back and forward to
 * the page.
 */
export function useAddress(view: Store<View>): void {
  const { history } = useRouter();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let written = view.value;
    let isWriting = false;
    const own = history.location.pathname;
    const read = ({ pathname, search }: typeof history.location): void => {
      if (isWriting || pathname !== own) return; // the view may be ahead of the URL
      const asked = parseView(new URLSearchParams(search));
      if (textOf(asked) !== textOf(view.value)) view.set(asked);
      written = view.value;
    };
    const write = (): void => {
      timer = undefined;
      const text = textOf(view.value);
      const { pathname, search: present } = history.location;
      if (pathname !== own || text === textOf(parseView(new URLSearchParams(present)))) return;
      const to = text === '' ? pathname : `${pathname}?${text}`;
      isWriting = true;
      if (isStep(written, view.value)) history.push(to);
      else history.replace(to);
      isWriting = false;
      written = view.value;
    };
    const leave = history.subscribe(({ location }) => read(location));
    const end = view.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(write, isStep(written, view.value) ? 0 : settledMs);
    });
    return () => {
      leave();
      end();
      clearTimeout(timer);
    };
  }, [view, history]);
}

/**
 * Whether back should return from this change: another kind of data, another single card, another
 * range, other axes, tags or experiments. Other changes are adjustments.
 */
function isStep(before: View, after: View): boolean {
  return (
    before.tab !== after.tab ||
    before.about !== after.about ||
    before.card !== after.card ||
    before.range !== after.range ||
    before.yRanges !== after.yRanges ||
    before.xAxis !== after.xAxis ||
    before.xScale !== after.xScale ||
    before.yScale !== after.yScale ||
    before.also !== after.also ||
    before.compare !== after.compare ||
    before.pinned !== after.pinned ||
    before.panels !== after.panels
  );
}

function textOf(view: View): string {
  return viewParameters(view).toString();
}
