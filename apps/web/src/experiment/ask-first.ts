import type { QueryClient } from '@tanstack/react-query';
import { parseView } from '#charts';
import { Api } from '../api/api.ts';
import { ScalarLoader } from '../api/scalar-loader.ts';
import type { PageData } from '../app/page-data.ts';
import { scalarsKey } from '../chart/scalars-key.ts';
import { shownRuns, wantsSeries } from '../runs/shown-runs.ts';
import { cardsIn, firstTags } from './card-rows.ts';
import { entriesWanted, runsWanted } from './wanted.ts';

/**
 * Asks for what the first cards will ask for, before anything is drawn: of many runs the answer takes as long as the page does, and comes meanwhile. Where the address
 * wants something special the cards ask themselves.
 */
export function askFirst(client: QueryClient, { base, experiment: given }: PageData, search: string): void {
  if (!given?.runs || !given.tags) return;
  const { runs, tags, experiment } = given;
  const view = parseView(new URLSearchParams(search));
  if (view.tab !== 'scalars' || view.card !== null || view.compare.length > 0 || wantsSeries(view)) return;
  const shown = new Set(shownRuns(view, runs).shown);
  const loader = new ScalarLoader(new Api(base), experiment.id, () => runs.length);
  const wanted = { steps: null, runs: runsWanted(shown, runs.length), points: entriesWanted('card', shown.size) };
  for (const tag of firstTags(tags, view).slice(0, cardsIn(innerWidth, innerHeight))) {
    const wish = { ...wanted, tag };
    void client.prefetchQuery({ queryKey: scalarsKey(experiment.id, { ...wish, compared: [] }), queryFn: () => loader.load(wish) });
  }
}
