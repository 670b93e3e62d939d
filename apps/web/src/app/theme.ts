import { useSyncExternalStore } from 'react';
import type { Theme } from '#charts';

const query = '(prefers-color-scheme: dark)';

/** The theme of the reader's system, as it is now. */
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

/** Whether the page is as narrow as a phone: then lists are sheets, and charts one column. The same width stands in the style sheet. */
export const narrowQuery = '(max-width: 700px)';

/** Whether a media query holds, as it is now. */
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
