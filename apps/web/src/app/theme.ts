import { useSyncExternalStore } from 'react';
import type { Theme } from '#charts';
import { Store } from './store.ts';

const query = '(prefers-color-scheme: dark)';

/** The reader's choice. `system`: follows the reader's system. */
export type ThemeChoice = 'system' | Theme;

/** The server's pages use the same key, so they have the chosen colors from the start. */
const cookieName = 'plotline_theme';
const cookieSeconds = 365 * 86_400;

const choice = new Store<ThemeChoice>(typeof document === 'undefined' ? 'system' : chosenIn(document.documentElement));

function chosenIn({ dataset }: HTMLElement): ThemeChoice {
  const { theme } = dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** The reader's choice. */
export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(
    choice.subscribe,
    () => choice.value,
    () => 'system' as const,
  );
}

/** Applies a choice to this page, and stores it in this browser for other pages. */
export function chooseTheme(next: ThemeChoice, base: string): void {
  const { dataset } = document.documentElement;
  if (next === 'system') delete dataset.theme;
  else dataset.theme = next;
  const age = next === 'system' ? 0 : cookieSeconds;
  document.cookie = `${cookieName}=${next}; Path=${base}/; Max-Age=${age}; SameSite=Lax`;
  choice.set(next);
}

/** The page's current theme. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, read, () => 'light' as const);
}

function read(): Theme {
  if (choice.value !== 'system') return choice.value;
  return matchMedia(query).matches ? 'dark' : 'light';
}

function subscribe(listener: () => void): () => void {
  const media = matchMedia(query);
  media.addEventListener('change', listener);
  const stop = choice.subscribe(listener);
  return () => {
    media.removeEventListener('change', listener);
    stop();
  };
}

/**
 * Whether the page is as narrow as a phone. If it is, lists become sheets, and charts have one
 * column. The style sheet uses the same width.
 */
export const narrowQuery = '(max-width: 700px)';

/** Whether a media query currently matches. */
export function useMedia(text: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(text);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => matchMedia(text).matches,
    () => false,
  );
}
