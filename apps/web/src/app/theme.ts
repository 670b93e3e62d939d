import { useSyncExternalStore } from 'react';
import type { Theme } from '#charts';

const query = '(prefers-color-scheme: dark)';

/** The current theme of the reader's system. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, read, () => 'light' as const);
}

function read(): Theme {
  return matchMedia(query).matches ? 'dark' : 'light';
}

function subscribe(listener: () => void): () => void {
  const media = matchMedia(query);
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
}

/**
 * Whether the page is as narrow as a phone: then lists are sheets, and charts have one column. The
 * style sheet uses the same width.
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
