import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { experimentsKey, type ExperimentsPage } from '../home/experiments-key.ts';
import { plainHome } from '../home/home-view.ts';
import type { PageData } from './page-data.ts';

/**
 * Puts the data delivered with the page into the query cache. This happens once, at page load:
 * later, the data becomes stale like any other and is requested again.
 */
export function keepFirst(client: QueryClient, { experiment: given, experiments: list }: PageData): void {
  if (given) {
    const { experiment, runs, tags } = given;
    client.setQueryData(['experiment', experiment.id], experiment);
    if (runs) client.setQueryData(['runs', experiment.id], runs);
    if (tags) client.setQueryData(['tags', experiment.id], tags);
  }
  if (list) {
    const next = list.next !== null && { next_page_token: list.next };
    const pages: ExperimentsPage[] = [{ experiments: list.experiments, ...next, ahead: Date.parse(list.at) - Date.now() }];
    client.setQueryData<InfiniteData<ExperimentsPage, string>>(experimentsKey(plainHome), { pages, pageParams: [''] });
  }
}
