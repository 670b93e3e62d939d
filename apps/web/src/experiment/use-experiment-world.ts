import { useQueryClient } from '@tanstack/react-query';
import { use, useEffect, useMemo } from 'react';
import { parseView } from '#charts';
import { Api } from '../api/api.ts';
import { ApiContext } from '../api/api-context.ts';
import { ScalarLoader } from '../api/scalar-loader.ts';
import type { RunJson } from '../api/types.ts';
import { FirstPageContext } from '../app/first-page.ts';
import { usePage } from '../app/page-context.ts';
import { Store } from '../app/store.ts';
import { FirstCharts } from '../chart/first-charts.ts';
import type { ComparedParts } from '../compare/compared-run.ts';
import { ComparingLoader } from '../compare/comparing-loader.ts';
import { unheard } from '../live/live-state.ts';
import { type ExperimentWorld, nowhere } from './experiment-context.ts';

/**
 * The shared state of an experiment's page, created once per experiment. `search`: the initial
 * query string.
 */
export function useExperimentWorld(id: string, search: string): ExperimentWorld {
  const page = usePage();
  const { base } = page;
  const given = use(ApiContext);
  const client = useQueryClient();
  const ofPage = use(FirstPageContext);
  const firstCharts = useMemo(() => (page.experiment?.experiment.id === id ? ofPage : new FirstCharts(null)), [id, ofPage, page]);
  const world = useMemo(() => {
    const api = given ?? new Api(base);
    const others = new Map<string, ScalarLoader>();
    const loaderOf = (other: string): ScalarLoader => {
      const known = others.get(other);
      if (known) return known;
      const made = new ScalarLoader(api, other, () => client.getQueryData<ComparedParts>(['compared', other])?.runs.length ?? 1);
      others.set(other, made);
      return made;
    };
    return {
      api,
      id,
      loader: new ComparingLoader(
        new ScalarLoader(api, id, () => client.getQueryData<readonly RunJson[]>(['runs', id])?.length ?? 1),
        loaderOf,
      ),
      view: new Store(parseView(new URLSearchParams(search))),
      hover: new Store(nowhere),
      live: new Store(unheard),
      firstCharts,
    };
    // oxlint-disable-next-line react/exhaustive-deps -- the URL keeps changing; `useAddress` follows it
  }, [base, given, client, id, firstCharts]);
  useEffect(() => {
    const end = world.view.subscribe(() => firstCharts.forgetAll());
    return () => {
      end();
      firstCharts.forgetAll();
    };
  }, [world, firstCharts]);
  return world;
}
