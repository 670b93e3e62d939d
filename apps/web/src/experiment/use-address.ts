import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { parseView, type View, viewParameters } from '#charts';
import type { Store } from '../app/store.ts';

/** Typing and sliding make many views; those that follow one another so quickly are one in the history. */
const settledMs = 250;

/** Keeps the address and the view the same: what is changed in the page goes into the address, and back and forward into the page. */
export function useAddress(view: Store<View>): void {
  const { history } = useRouter();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let written = view.value;
    let isWriting = false;
    const own = history.location.pathname;
    const read = ({ pathname, search }: typeof history.location): void => {
      if (isWriting || pathname !== own) return; // the view may be ahead of what is written
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

/** Whether one wants to come back from there: another kind of data, another card alone, another part, other axes, tags or experiments. The rest is adjusting. */
function isStep(before: View, after: View): boolean {
  return (
    before.tab !== after.tab ||
    before.card !== after.card ||
    before.range !== after.range ||
    before.yRanges !== after.yRanges ||
    before.xAxis !== after.xAxis ||
    before.xScale !== after.xScale ||
    before.yScale !== after.yScale ||
    before.also !== after.also ||
    before.compare !== after.compare ||
    before.pinned !== after.pinned
  );
}

function textOf(view: View): string {
  return viewParameters(view).toString();
}
