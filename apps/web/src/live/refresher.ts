import { isCancelledError, type Query, type QueryCacheNotifyEvent, type QueryClient } from '@tanstack/react-query';
import type { ScalarSeries } from '#charts';
import type { Api } from '../api/api.ts';
import { mayRetry } from '../api/problem.ts';
import type { RunJson } from '../api/types.ts';
import { wishOf } from '../chart/scalars-key.ts';
import type { ComparedParts } from '../compare/compared-run.ts';
import type { ComparingLoader, ComparingWish } from '../compare/comparing-loader.ts';
import { appendTail } from './append.ts';
import { backOffMs } from './back-off.ts';
import { groupByEnd } from './group-by-end.ts';
import { grownBetween, type Growth, marksOf, nextMarks, type RunMarks } from './run-marks.ts';

/** At most so often; a slow server is asked less often still. */
const leastPauseMs = 1_000;
/** Share of the time that is spent on asking at most. */
const restFactor = 3;
/** Charts that have grown by half are asked for anew: they get fewer, exact buckets again, so that the page does not grow without end. */
const maxGrowth = 1.5;
/** Requests for what is new of one chart at most; where runs end in more places than that, all of it is asked for in one. A guess. */
const mostGroups = 6;

/** Kinds of queries that are kept up to date, by the first part of their key; the second is the id of an experiment. */
const kinds = new Set(['experiment', 'runs', 'tags', 'series', 'values', 'scalars', 'compared']);
/** Those whose key has the page's experiment, and whose answers have runs of all that are shown. */
const ofAll = new Set(['values', 'scalars']);

/** What was known when a query was asked: its answer has all of that at least. */
interface Known {
  /** How far the runs were, by experiment. */
  readonly marks: ReadonlyMap<string, RunMarks>;
  /** How often the past had changed. */
  readonly past: number;
}

/**
 * Brings what a page shows up to date after something came: only what is new of what is seen. Of each query it is remembered how far the runs were when it was asked, so
 * nothing is lost when an answer fails, or was under way already: it is behind until an answer came that was asked for late enough.
 */
export class Refresher {
  readonly #client: QueryClient;
  readonly #api: Api;
  readonly #loader: ComparingLoader;
  readonly #id: string;
  readonly #onRefused: () => void;
  readonly #unsubscribe: () => void;
  /** Of queries that were asked before this one watched. */
  #first: Known;
  #now: Known;
  readonly #asked = new WeakMap<Query, Known>();
  readonly #has = new WeakMap<Query, Known>();
  /** Experiments of which something new can be read. */
  readonly #moved = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #restUntil = 0;
  #failures = 0;
  #wanted = false;
  #working = false;
  #paused = false;
  #refused = false;
  #closed = false;

  /** `onRefused`: told when the server says that this may not be read (any more). */
  constructor(client: QueryClient, api: Api, loader: ComparingLoader, id: string, onRefused: () => void = () => undefined) {
    this.#client = client;
    this.#api = api;
    this.#loader = loader;
    this.#id = id;
    this.#onRefused = onRefused;
    this.#now = { marks: new Map([[id, marksOf(client.getQueryData<readonly RunJson[]>(['runs', id]) ?? [])]]), past: 0 };
    this.#first = this.#now;
    this.#unsubscribe = client.getQueryCache().subscribe((event) => this.#hear(event));
  }

  /** Something new can be read, of the page's experiment or of one beside it. */
  moved(id = this.#id): void {
    this.#moved.add(id);
    this.#want();
  }

  /** What was read before may not be so any more. */
  changed(): void {
    this.#now = { ...this.#now, past: this.#now.past + 1 };
    this.moved();
  }

  /** Experiments whose runs are shown beside those of the page's own, and are loaded. */
  compare(ids: readonly string[]): void {
    for (const id of ids) {
      const parts = this.#client.getQueryData<ComparedParts>(['compared', id]);
      if (!parts || this.#now.marks.has(id)) continue;
      const marks = marksOf(parts.runs);
      this.#first = { ...this.#first, marks: new Map(this.#first.marks).set(id, marks) };
      this.#now = { ...this.#now, marks: new Map(this.#now.marks).set(id, marks) };
    }
  }

  /** Asks for nothing until it goes on. */
  pause(): void {
    this.#paused = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Goes on, also after a refusal: whoever comes back may have signed in meanwhile. */
  resume(): void {
    this.#paused = false;
    this.#refused = false;
    this.#restUntil = 0;
    if (this.#wanted) this.#want();
  }

  /** From now on nobody hears of what comes: all that is kept has to be asked for anew before it is shown again. */
  close(): void {
    this.#closed = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    for (const query of this.#queries()) {
      void query.cancel({ revert: true });
      query.invalidate();
    }
  }

  #queries(): Query[] {
    return this.#client.getQueryCache().findAll({ predicate: (query) => this.#isOurs(query) });
  }

  #isOurs({ queryKey: [kind, id] }: Query): boolean {
    return typeof kind === 'string' && kinds.has(kind) && typeof id === 'string' && this.#now.marks.has(id);
  }

  #hear(event: QueryCacheNotifyEvent): void {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    if (action.type === 'fetch') this.#asked.set(query, this.#now);
    if (action.type === 'success' && action.manual !== true) this.#has.set(query, this.#asked.get(query) ?? this.#first);
    const isEnd = (action.type === 'success' && action.manual !== true) || (action.type === 'error' && mayRetry(action.error));
    if (!isEnd || !this.#isOurs(query) || !this.#isBehind(query)) return;
    if (action.type === 'error') this.#rest(backOffMs(Math.max(1, this.#failures)));
    this.#want();
  }

  #want(): void {
    this.#wanted = true;
    if (this.#closed || this.#paused || this.#refused || this.#working) return;
    this.#timer ??= setTimeout(() => void this.#work(), Math.max(0, this.#restUntil - Date.now()));
  }

  #rest(ms: number): void {
    this.#restUntil = Math.max(this.#restUntil, Date.now() + ms);
  }

  async #work(): Promise<void> {
    this.#timer = undefined;
    this.#working = true;
    this.#wanted = false;
    const began = Date.now();
    try {
      await this.#readRuns();
      await this.#refresh();
      this.#failures = 0;
    } catch {
      this.#wanted = true;
      this.#failures++;
    }
    this.#working = false;
    const took = Date.now() - began;
    this.#rest(this.#failures > 0 ? backOffMs(this.#failures) : Math.max(leastPauseMs, took * restFactor));
    if (this.#wanted) this.#want();
  }

  /** How far the runs are, of all that moved. */
  async #readRuns(): Promise<void> {
    for (const id of this.#moved) {
      this.#moved.delete(id);
      try {
        await (id === this.#id ? this.#readOwn() : this.#readCompared(id));
      } catch (error) {
        if (!mayRetry(error) && id !== this.#id) continue; // the page says that it cannot be read
        this.#moved.add(id);
        if (!mayRetry(error)) {
          this.#refused = true;
          this.#onRefused();
        }
        throw error;
      }
    }
  }

  async #readOwn(): Promise<void> {
    const queryKey = ['runs', this.#id];
    const before = this.#client.getQueryState(queryKey)?.dataUpdateCount;
    const runs = await this.#api.list<RunJson>(`/experiments/${this.#id}/runs?page_size=1000`, 'runs');
    this.#learn(this.#id, runs);
    const state = this.#client.getQueryState(queryKey);
    if (state?.dataUpdateCount !== before || state?.fetchStatus === 'fetching') return; // somebody has changed a run meanwhile: that answer is newer
    this.#client.setQueryData(queryKey, runs);
    this.#has.set(this.#client.getQueryCache().find({ queryKey })!, this.#now);
  }

  async #readCompared(id: string): Promise<void> {
    const queryKey = ['compared', id];
    await this.#client.invalidateQueries({ queryKey, exact: true }, { throwOnError: true }).catch(unlessCancelled);
    const parts = this.#client.getQueryData<ComparedParts>(queryKey);
    if (!parts) return;
    this.#learn(id, parts.runs);
    this.#has.set(this.#client.getQueryCache().find({ queryKey })!, this.#now);
  }

  #learn(id: string, runs: readonly RunJson[]): void {
    const before: RunMarks = this.#now.marks.get(id) ?? new Map();
    const marks = nextMarks(before, marksOf(runs));
    if (marks !== before) this.#now = { ...this.#now, marks: new Map(this.#now.marks).set(id, marks) };
  }

  /** Asks for what is seen and behind; what nobody looks at is asked for when somebody does. Throws when trying again may help. */
  async #refresh(): Promise<void> {
    const work: Promise<void>[] = [];
    for (const query of this.#queries()) {
      if (!this.#isBehind(query)) continue;
      if (!query.isActive()) query.invalidate();
      else if (query.state.fetchStatus === 'idle') work.push(this.#bringUp(query)); // what is being asked is looked at when it came
    }
    for (const one of await Promise.allSettled(work)) if (one.status === 'rejected' && mayRetry(one.reason)) throw one.reason as Error;
  }

  #knownOf(query: Query): Known {
    return this.#has.get(query) ?? this.#first;
  }

  #isBehind(query: Query): boolean {
    const known = this.#knownOf(query);
    if (known.past !== this.#now.past) return true;
    const [kind, own] = query.queryKey as readonly [string, string];
    if (kind === 'scalars') return this.#grownOf(known, wishOf(query.queryKey)).size > 0;
    const ids = ofAll.has(kind) ? [...this.#now.marks.keys()] : [own];
    return ids.some((id) => this.#marksOf(known, id) !== this.#now.marks.get(id));
  }

  #marksOf(known: Known, id: string): RunMarks | undefined {
    return known.marks.get(id) ?? this.#first.marks.get(id);
  }

  /** The runs of a chart that grew since, as the chart calls them. */
  #grownOf(known: Known, wish: ComparingWish): Map<string, Growth> {
    const grown = new Map<string, Growth>();
    const wanted = wish.runs && new Set(wish.runs);
    for (const { id, prefix } of [{ id: this.#id, prefix: '' }, ...wish.compared]) {
      const marks = this.#now.marks.get(id);
      if (!marks) continue;
      for (const [run, growth] of grownBetween(this.#marksOf(known, id), marks))
        if (!wanted || wanted.has(prefix + run)) grown.set(prefix + run, growth);
    }
    return grown;
  }

  async #bringUp(query: Query): Promise<void> {
    if (query.queryKey[0] === 'scalars' && (await this.#grow(query))) return;
    const anew = this.#client.invalidateQueries({ queryKey: query.queryKey, exact: true }, { throwOnError: true });
    await anew.catch(unlessCancelled);
  }

  /** Adds to a chart what is new of it. False: all of it has to be asked for anew. */
  async #grow(query: Query): Promise<boolean> {
    const now = this.#now;
    const wish = wishOf(query.queryKey);
    const { data, dataUpdateCount, isInvalidated } = query.state;
    const known = data as readonly ScalarSeries[] | undefined;
    const before = this.#knownOf(query);
    const grown = this.#grownOf(before, wish);
    if (!known || isInvalidated || wish.steps !== null || before.past !== now.past) return false;
    const growing = known.filter(({ run }) => grown.has(run));
    if (growing.some(({ run }) => grown.get(run) !== 'end')) return false;
    if (growing.some(({ writer }) => writer !== null)) return false; // which of the writers grew is not known
    const groups = groupByEnd(growing, wish.points / 2);
    if (!groups || groups.length > mostGroups) return false;
    const isThere = new Set(growing.map(({ run }) => run));
    const others = [...grown.keys()].filter((run) => !isThere.has(run)).sort();
    const [begun, ...answers] = await Promise.all([
      others.length === 0 ? [] : this.#loader.load({ ...wish, runs: others }),
      ...groups.map((group) => this.#loader.load({ ...wish, runs: group.runs, steps: { from: group.from, to: null } })),
    ]);
    if (begun.length > 0) return false;
    const tails = new Map(answers.flat().map((tail) => [tail.run, tail]));
    const joined = known.map((series) => {
      const tail = tails.get(series.run);
      return grown.has(series.run) ? tail && appendTail(series, tail) : series;
    });
    const isLong = joined.some((series) => series && series.step.length > wish.points * maxGrowth);
    if (isLong || joined.some((series) => !series)) return false;
    const { state } = query;
    // What came meanwhile, or is to come, was asked for later: points that are in the tail may be deleted by now
    if (state.dataUpdateCount !== dataUpdateCount || state.isInvalidated || state.fetchStatus !== 'idle' || this.#now.past !== now.past) {
      this.#wanted = true;
      return true;
    }
    if (joined.some((series, i) => series !== known[i])) this.#client.setQueryData(query.queryKey, joined);
    this.#has.set(query, now);
    return true;
  }
}

/** What is not wanted any more did not fail. */
function unlessCancelled(error: unknown): void {
  if (!isCancelledError(error)) throw error;
}
