import { useEffect } from 'react';
import type { View } from '#charts';
import { keepView } from '../app/last-view.ts';
import { usePage } from '../app/page-context.ts';
import type { Store } from '../app/store.ts';
import { rememberedText } from './remembered-text.ts';

/** How long a view must be unchanged before it is stored. */
const settledMs = 400;

/**
 * Stores an experiment's view whenever it changes, for the next visit from the home page. Does
 * nothing for visitors.
 */
export function useLastView(view: Store<View>, experiment: string): void {
  const { reader } = usePage();
  const person = reader?.id;
  useEffect(() => {
    if (person === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const keep = (): void => {
      if (!view.value.embed) keepView(person, experiment, rememberedText(view.value));
    };
    const end = view.subscribe(() => {
      clearTimeout(timer);
      timer = setTimeout(keep, settledMs);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [view, experiment, person]);
}
