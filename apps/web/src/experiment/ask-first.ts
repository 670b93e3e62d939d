import type { QueryClient } from '@tanstack/react-query';
import { parseView, spacingOf } from '#charts';
import { Api } from '../api/api.ts';
import { ScalarLoader } from '../api/scalar-loader.ts';
import type { PageData } from '../app/page-data.ts';
import { scalarsKey } from '../chart/scalars-key.ts';
import { shownRuns, wantsSeries } from '../runs/shown-runs.ts';
import { tagsInView } from './card-rows.ts';
import { wholeRequest } from './wanted.ts';

/**
 * Requests the data of the first cards before anything is drawn. With many runs, the response takes
 * as long as drawing the page, so both happen in parallel. If the URL asks for something unusual,
 * the cards request their data themselves.
 */
export function askFirst(client: QueryClient, { base, experiment: given }: PageData, search: string): void {
  if (!given?.runs || !given.tags) return;
  const { runs, tags, experiment } = given;
  const view = parseView(new URLSearchParams(search));
  if (view.about !== null || view.tab !== 'scalars' || view.card !== null || view.compare.length > 0 || wantsSeries(view)) return;
  const shown = new Set(shownRuns(view, runs).shown);
  const loader = new ScalarLoader(new Api(base), experiment.id, () => runs.length);
  for (const tag of tagsInView(tags, view, innerWidth, innerHeight)) {
    const { smoothing } = view;
    const request = wholeRequest(tag, 'card', { shown, runs: runs.length, compared: [], smoothing, spacing: spacingOf(view) });
    void client.prefetchQuery({ queryKey: scalarsKey(experiment.id, request), queryFn: () => loader.load(request) });
  }
}
