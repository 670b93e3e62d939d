import type { QueryClient } from '@tanstack/react-query';
import type { ScalarSeries } from '#charts';
import type { Api } from '../api/api.ts';
import type { RunJson } from '../api/types.ts';
import { scalarsKey, wishOf } from '../chart/scalars-key.ts';
import type { ComparingLoader, ComparingWish } from '../compare/comparing-loader.ts';
import { appendTail } from './append.ts';
import { groupByEnd } from './group-by-end.ts';

/** At most so often; a slow server is asked less often still. */
const leastPauseMs = 1_000;
/** Share of the time that is spent on asking at most. */
const restFactor = 3;
/** Charts that have grown by half are asked for anew: they get fewer, exact buckets again, so that the page does not grow without end. */
const maxGrowth = 1.5;

/** Brings what a page shows up to date after something came: only what is new of what is seen. */
export class Refresher {
  readonly #client: QueryClient;
  readonly #api: Api;
  readonly #loader: ComparingLoader;
  readonly #id: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #restUntil = 0;
  #again = false;
  #working = false;
  #closed = false;

  constructor(client: QueryClient, api: Api, loader: ComparingLoader, id: string) {
    this.#client = client;
    this.#api = api;
    this.#loader = loader;
    this.#id = id;
  }

  /** Something new can be read. */
  moved(): void {
    if (this.#closed) return;
    if (this.#working) this.#again = true;
    else this.#timer ??= setTimeout(() => void this.#work(), Math.max(0, this.#restUntil - Date.now()));
  }

  /** What was read before may not be so any more. */
  changed(): void {
    for (const key of ['experiment', 'runs', 'tags', 'series', 'values', 'scalars'])
      void this.#client.invalidateQueries({ queryKey: [key, this.#id] });
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #work(): Promise<void> {
    this.#timer = undefined;
    this.#working = true;
    const began = Date.now();
    try {
      await this.#refresh();
    } catch {
      this.#again = true; // the server is away: the stream of events will say so, too
    }
    this.#working = false;
    const took = Date.now() - began;
    this.#restUntil = Date.now() + Math.max(leastPauseMs, took * restFactor);
    if (!this.#again) return;
    this.#again = false;
    this.moved();
  }

  async #refresh(): Promise<void> {
    const key = ['runs', this.#id];
    const before = this.#client.getQueryData<readonly RunJson[]>(key) ?? [];
    const runs = await this.#api.list<RunJson>(`/experiments/${this.#id}/runs?page_size=1000`, 'runs');
    const times = new Map(before.map(({ run, last_time: time }) => [run, time]));
    const grown = runs.filter(({ run, last_time: time }) => times.get(run) !== time).map(({ run }) => run);
    this.#client.setQueryData(key, runs);
    await Promise.all([
      this.#client.invalidateQueries({ queryKey: ['experiment', this.#id] }),
      ...['tags', 'series', 'values'].map((kind) => this.#client.invalidateQueries({ queryKey: [kind, this.#id] })),
      this.#refreshCharts(new Set(grown)),
    ]);
  }

  /** Charts that nobody looks at are asked for anew when somebody does. */
  async #refreshCharts(grown: ReadonlySet<string>): Promise<void> {
    const queries = this.#client.getQueryCache().findAll({ queryKey: ['scalars', this.#id] });
    const work: Promise<unknown>[] = [];
    for (const query of queries) {
      const wish = wishOf(query.queryKey);
      if (!query.isActive()) query.invalidate();
      else if (wish.steps !== null) work.push(this.#client.invalidateQueries({ queryKey: query.queryKey, exact: true }));
      else work.push(this.#grow(wish, query.state.data as readonly ScalarSeries[] | undefined, grown));
    }
    await Promise.all(work);
  }

  async #grow(wish: ComparingWish, known: readonly ScalarSeries[] | undefined, grown: ReadonlySet<string>): Promise<void> {
    const queryKey = scalarsKey(this.#id, wish);
    const anew = (): Promise<void> => this.#client.invalidateQueries({ queryKey, exact: true });
    const runs = [...grown].filter((run) => wish.runs === null || wish.runs.includes(run));
    if (!known || runs.length === 0) return;
    const growing = known.filter(({ run }) => grown.has(run));
    const isNew = runs.some((run) => !growing.some((series) => series.run === run));
    const groups = groupByEnd(growing, wish.points / 2);
    if (isNew || !groups) return anew();
    const answers = await Promise.all(
      groups.map((group) => this.#loader.load({ ...wish, runs: group.runs, steps: { from: group.from, to: null } })),
    );
    const tails = new Map(answers.flat().map((tail) => [tail.run, tail]));
    const joined = known.map((series) => {
      const tail = tails.get(series.run);
      return grown.has(series.run) ? tail && appendTail(series, tail) : series;
    });
    const isLong = joined.some((series) => series && series.step.length > wish.points * maxGrowth);
    if (isLong || joined.some((series) => !series)) return anew();
    this.#client.setQueryData(queryKey, joined);
  }
}
