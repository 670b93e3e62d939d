import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ExperimentJson, FrontierJson, RunJson } from '../api/types.ts';
import type { ComparedParts } from '../compare/compared-run.ts';
import type { ExperimentWorld } from '../experiment/experiment-context.ts';
import { ComparedWatch } from './compared-watch.ts';
import { EventStream } from './event-stream.ts';
import { withFrontier } from './live-state.ts';
import { Refresher } from './refresher.ts';

/**
 * Keeps the page of an experiment up to date by the stream of its events, and what it is compared with by asking. While nobody sees the page nothing is asked for.
 * `compared`: the experiments beside it that are loaded.
 */
export function useLive(world: ExperimentWorld, experiment: ExperimentJson | undefined, compared: readonly ComparedParts[]): void {
  const client = useQueryClient();
  const following = useRef<Following | null>(null);
  /** Where the page began. */
  const first = useRef<number | null>(null);
  if (experiment && first.current === null) first.current = Number(experiment.frontier.epoch);
  const ready = experiment !== undefined;
  useEffect(() => {
    if (!ready) return;
    const made = follow(world, client, first.current ?? -1);
    following.current = made;
    return () => made.end();
  }, [client, world, ready]);
  useEffect(() => following.current?.compare(compared), [world, ready, compared]);
}

interface Following {
  compare(parts: readonly ComparedParts[]): void;
  end(): void;
}

/** `shownEpoch`: up to which epoch the page shows everything. */
function follow({ api, id, live, loader }: ExperimentWorld, client: QueryClient, shownEpoch: number): Following {
  let shown = shownEpoch;
  const frontierOf = (one: string): Promise<FrontierJson> => api.get(`/experiments/${one}/frontier`);
  const refuse = (): void => {
    stream.stop();
    live.set({ ...live.value, refused: true });
  };
  const refresher = new Refresher(client, api, loader, id, refuse);
  const stream = new EventStream({
    connect: () => {
      const source = new EventSource(api.at(`/experiments/${id}/events`));
      source.addEventListener('frontier', ({ data }: MessageEvent<string>) => {
        const frontier = JSON.parse(data) as FrontierJson;
        live.set(withFrontier(live.value, frontier, Date.now()));
        const epoch = Number(frontier.epoch);
        if (epoch <= shown) return;
        shown = epoch;
        refresher.moved();
      });
      source.addEventListener('run', ({ data }: MessageEvent<string>) => {
        const told = JSON.parse(data) as Pick<RunJson, 'run' | 'status'>;
        const known = client.getQueryData<readonly RunJson[]>(['runs', id]);
        if (!known?.some(({ run, status }) => run === told.run && status === told.status)) refresher.moved();
      });
      source.addEventListener('deletion', () => refresher.changed());
      source.addEventListener('deleted', () => {
        live.set({ ...live.value, deleted: true });
        end();
      });
      return source;
    },
    ask: () => frontierOf(id),
    opened: () => live.set({ ...live.value, lostAt: null }),
    lost: () => live.set({ ...live.value, lostAt: live.value.lostAt ?? Date.now() }),
    refused: refuse,
  });
  const watch = new ComparedWatch({
    ask: frontierOf,
    shown: (one) => {
      const parts = client.getQueryData<ComparedParts>(['compared', one]);
      return parts ? Number(parts.experiment.frontier.epoch) : null;
    },
    moved: (one) => refresher.moved(one),
  });
  const followSight = (): void => {
    for (const part of [stream, watch]) {
      if (document.hidden) part.stop();
      else if (!live.value.deleted) part.start();
    }
    if (document.hidden) return refresher.pause();
    live.set({ ...live.value, lostAt: null, refused: false });
    refresher.resume();
  };
  const end = (): void => {
    document.removeEventListener('visibilitychange', followSight);
    stream.stop();
    watch.stop();
    refresher.close();
  };
  followSight();
  document.addEventListener('visibilitychange', followSight);
  return {
    compare: (parts) => {
      refresher.compare(parts.map(({ experiment }) => experiment.id));
      watch.watch(parts.filter(({ experiment }) => experiment.snapshot === null).map(({ experiment }) => experiment.id));
    },
    end,
  };
}
