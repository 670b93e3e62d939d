import { useMemo } from 'react';
import { toggled } from '#charts';
import { usePage } from './page-context.ts';
import { Store, useStore } from './store.ts';

/** Maximum stars per person; the oldest is dropped. */
const maxStars = 50;

const stores = new Map<string, Store<readonly string[]>>();

/** Stars are stored in this browser, separately for each person who uses it. */
function starsOf(person: string): Store<readonly string[]> {
  if (typeof document === 'undefined') return new Store<readonly string[]>([]);
  const known = stores.get(person);
  if (known) return known;
  const made = new Store(read(person));
  stores.set(person, made);
  return made;
}

function keyOf(person: string): string {
  return `plotline stars ${person}`;
}

function read(person: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(person)) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one): one is string => /^[A-Za-z0-9]{22}$/.test(String(one))).slice(-maxStars) : [];
  } catch {
    return []; // written by another version, or the browser stores nothing
  }
}

/** The ids of the experiments that the reader starred, and a function that toggles a star. */
export function useStars(): { readonly stars: readonly string[]; readonly toggle: (id: string) => void } {
  const { reader } = usePage();
  const person = reader?.id ?? '';
  const store = starsOf(person);
  const stars = useStore(store, (all) => all);
  return useMemo(
    () => ({
      stars,
      toggle: (id) => {
        const next = toggled(store.value, id).slice(-maxStars);
        store.set(next);
        try {
          localStorage.setItem(keyOf(person), JSON.stringify(next));
        } catch {
          // The storage is full or disabled: stars last only until the page is closed
        }
      },
    }),
    [stars, store, person],
  );
}
