import type { QueryClient } from '@tanstack/react-query';
import { mayRetry } from '../api/problem.ts';
import type { FrontierJson, RunJson } from '../api/types.ts';
import type { ComparedParts } from '../compare/compared-run.ts';
import type { ExperimentWorld } from '../experiment/experiment-context.ts';
import { ComparedWatch } from './compared-watch.ts';
import { EventStream } from './event-stream.ts';
import { withFrontier } from './live-state.ts';
import { Refresher } from './refresher.ts';

/**
 * How a page learns about new data: by an event stream, or by polling. Browsers open only six
 * connections to an HTTP/1.1 server, and a stream occupies one of them.
 */
export type LiveForm = 'stream' | 'poll';

/** Pause between two requests of a page without a stream. */
const pollMs = 30_000;

/** The handle of a page that is kept up to date. */
export interface Following {
  /** Adds compared experiments as they are loaded. */
  compare(parts: readonly ComparedParts[]): void;
  end(): void;
}

/**
 * Keeps an experiment's page up to date until it is stopped. `shownEpoch`: the epoch up to which
 * the page shows everything.
 */
export function follow(
  { api, id, live, loader }: ExperimentWorld,
  client: QueryClient,
  { shownEpoch, form }: { readonly shownEpoch: number; readonly form: LiveForm },
): Following {
  let shown = shownEpoch;
  const statusOf = statusReader(client, id);
  const frontierOf = (one: string): Promise<FrontierJson> => api.get(`/experiments/${one}/frontier`);
  const reject = (): void => {
    own.stop();
    live.set({ ...live.value, rejected: true });
  };
  const refresher = new Refresher(client, api, loader, id, reject);
  const heard = (frontier: FrontierJson): void => {
    live.set(withFrontier(live.value, frontier, Date.now()));
    const epoch = Number(frontier.epoch);
    if (epoch <= shown) return;
    shown = epoch;
    refresher.moved();
  };
  const stream = (): EventStream =>
    new EventStream({
      connect: () => {
        const source = new EventSource(api.at(`/experiments/${id}/events`));
        source.addEventListener('frontier', ({ data }: MessageEvent<string>) => heard(JSON.parse(data) as FrontierJson));
        source.addEventListener('run', ({ data }: MessageEvent<string>) => {
          const update = JSON.parse(data) as Pick<RunJson, 'run' | 'status'>;
          if (statusOf(update.run) !== update.status) refresher.moved();
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
      rejected: reject,
    });
  const poll = (): ComparedWatch => {
    const asking = new ComparedWatch(
      {
        ask: async (one) => {
          try {
            const frontier = await frontierOf(one);
            heard(frontier);
            return frontier;
          } catch (error) {
            if (!mayRetry(error)) reject();
            throw error;
          }
        },
        shown: () => null, // `heard` compares
        moved: () => undefined,
      },
      pollMs,
    );
    asking.watch([id]);
    return asking;
  };
  const own = form === 'stream' ? stream() : poll();
  const watch = new ComparedWatch({
    ask: frontierOf,
    shown: (one) => {
      const parts = client.getQueryData<ComparedParts>(['compared', one]);
      return parts ? Number(parts.experiment.frontier.epoch) : null;
    },
    moved: (one) => refresher.moved(one),
  });
  const followSight = (): void => {
    for (const part of [own, watch]) {
      if (document.hidden) part.stop();
      else if (!live.value.deleted) part.start();
    }
    if (document.hidden) return refresher.pause();
    live.set({ ...live.value, lostAt: null, rejected: false });
    refresher.resume();
  };
  const end = (): void => {
    document.removeEventListener('visibilitychange', followSight);
    own.stop();
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

/**
 * Reads the known status of a run. A stream starts with an event for each run, so runs are indexed
 * by name.
 */
function statusReader(client: QueryClient, id: string): (run: string) => string | undefined {
  let runs: readonly RunJson[] | undefined;
  let statuses: ReadonlyMap<string, string> = new Map();
  return (run) => {
    const known = client.getQueryData<readonly RunJson[]>(['runs', id]);
    if (known !== runs) {
      runs = known;
      statuses = new Map((known ?? []).map((one) => [one.run, one.status]));
    }
    return statuses.get(run);
  };
}
