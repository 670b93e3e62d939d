import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ExperimentJson, FrontierJson, RunJson } from '../api/types.ts';
import type { ExperimentWorld } from '../experiment/experiment-context.ts';
import { withFrontier } from './live-state.ts';
import { Refresher } from './refresher.ts';

/** Keeps the page of an experiment up to date by the stream of its events. While nobody sees the page nothing is asked for. */
export function useLive(world: ExperimentWorld, experiment: ExperimentJson | undefined): void {
  const client = useQueryClient();
  const { api, id, live, loader } = world;
  /** Up to which epoch the page shows everything. */
  const shownEpoch = useRef<number | null>(null);
  if (experiment && shownEpoch.current === null) shownEpoch.current = Number(experiment.frontier.epoch);
  const ready = experiment !== undefined;
  useEffect(() => {
    if (!ready) return;
    const refresher = new Refresher(client, api, loader, id);
    let stream: EventSource | null = null;
    const open = (): void => {
      stream = new EventSource(api.at(`/experiments/${id}/events`));
      stream.addEventListener('frontier', ({ data }: MessageEvent<string>) => {
        const frontier = JSON.parse(data) as FrontierJson;
        live.set(withFrontier(live.value, frontier, Date.now()));
        const epoch = Number(frontier.epoch);
        if (epoch <= (shownEpoch.current ?? -1)) return;
        shownEpoch.current = epoch;
        refresher.moved();
      });
      stream.addEventListener('run', ({ data }: MessageEvent<string>) => {
        const told = JSON.parse(data) as Pick<RunJson, 'run' | 'status'>;
        const known = client.getQueryData<readonly RunJson[]>(['runs', id]);
        if (!known?.some(({ run, status }) => run === told.run && status === told.status)) refresher.moved();
      });
      stream.addEventListener('deletion', () => refresher.changed());
      stream.addEventListener('deleted', () => {
        live.set({ ...live.value, deleted: true });
        close();
      });
      stream.addEventListener('error', () => live.set({ ...live.value, connected: false }));
    };
    const close = (): void => {
      stream?.close();
      stream = null;
    };
    const follow = (): void => {
      if (document.hidden) close();
      else if (!stream && !live.value.deleted) open();
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close();
      refresher.close();
    };
  }, [client, api, id, live, loader, ready]);
}
