import { useInfiniteQuery } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import { useStars } from '../app/stars.ts';
import { useSettled } from '../app/use-settled.ts';
import { experimentsKey, type ExperimentsPage } from './experiments-key.ts';
import { type HomeView, listParameters } from './home-view.ts';

/** Maximum age of the list, in milliseconds. */
const refreshMs = 15_000;
/** Maximum age while waiting for the first data. */
const waitingMs = 2_000;
/** How long typing must pause before the server is queried. */
const typingMs = 200;

/**
 * The experiments that a view shows, page by page, and the text of the search that found them.
 * `isAwaited`: whether the reader is waiting for the first data.
 */
export function useExperimentList(api: Api, { label, archived, starred, order, descending, ...view }: HomeView, isAwaited: () => boolean) {
  const text = useSettled(view.text.trim(), typingMs);
  const { stars } = useStars();
  const list = useInfiniteQuery({
    queryKey: experimentsKey({ text, label, archived, starred, order, descending }, stars),
    queryFn: async ({ pageParam, signal }): Promise<ExperimentsPage> => {
      const parameters = new URLSearchParams({
        newest_run: 'true',
        ...listParameters({ text, label, archived, starred, order, descending }, stars),
        ...(pageParam && { page_token: pageParam }),
      });
      const { body, ahead } = await api.getTimed<Omit<ExperimentsPage, 'ahead'>>(`/experiments?${parameters}`, signal);
      return { ...body, ahead };
    },
    initialPageParam: '',
    getNextPageParam: ({ next_page_token: next }) => next,
    placeholderData: (before) => before,
    staleTime: refreshMs,
    refetchInterval: () => (isAwaited() ? waitingMs : refreshMs),
  });
  return { list, text };
}
