import { isCancelledError, type Query, type QueryCacheNotifyEvent, type QueryClient } from '@tanstack/react-query';
import type { ScalarSeries } from '#charts';
import type { Api } from '../api/api.ts';
import { mayRetry } from '../api/problem.ts';
import type { RunJson } from '../api/types.ts';
import { requestOf } from '../chart/scalars-key.ts';
import type { ComparedParts } from '../compare/compared-run.ts';
import type { ComparingLoader, ComparingRequest } from '../compare/comparing-loader.ts';
import { appendTail } from './append.ts';
import { backOffMs } from './back-off.ts';
import { groupByEnd } from './group-by-end.ts';
import { grownBetween, type Growth, marksOf, nextMarks, type RunMarks } from './run-marks.ts';

/** Minimum interval between requests; the interval is longer if the server is slow. */
const minPauseMs = 1_000;
/** Pause between requests, as a multiple of their duration. */
const restFactor = 3;
/**
 * Charts that have grown by this factor are requested again. They then get fewer, exact buckets,
 * which limits the size of the page.
 */
const maxGrowth = 1.5;
/**
 * Maximum requests for the new data of one chart. If its runs end at more positions than that, one
 * request asks for everything. A guess.
 */
const maxGroups = 6;

/**
 * Kinds of queries that are kept up to date, by the first part of their key. The second part is an
 * experiment's id.
 */
const kinds = new Set(['experiment', 'runs', 'tags', 'series', 'values', 'scalars', 'compared', 'table']);
/**
 * Kinds of queries with the page's experiment in their key and runs of all displayed experiments in
 * their responses.
 */
const ofAll = new Set(['values', 'scalars', 'table']);

/** The state that was known when a query was sent. The response is at least as recent. */
interface Known {
  /** The progress of the runs, by experiment. */
  readonly marks: ReadonlyMap<string, RunMarks>;
  /** Number of changes to earlier data that were known. */
  readonly past: number;
}

/**
 * Updates the data of a page when new data arrives. It requests only new data for the visible part.
 * For each query, it keeps the progress of the runs at the time of the request. Nothing is lost if
 * a request fails or was already running: the query stays outdated until a request sent after the
 * change gets its response.
 *
 * A query:
 *
 * ```
 *   current ──────▶ outdated ──────▶ requested ──────▶ current
 *           growth,          visible,           response that
 *           deletion         or shown later     includes the change
 *                   outdated ◀────── requested
 *                            failure, or a newer change
 * ```
 *
 * The refresher:
 *
 * ```
 *   idle ──────▶ waiting ──────▶ working ──────▶ idle, or waiting if more is outdated
 *        data            rest           done or failed
 *        arrived         is over
 *   any  ──────▶ paused ──────▶ idle or waiting
 *        pause          resume
 *   working ───▶ denied ──────▶ idle or waiting
 *        no access      resume
 *   any  ──────▶ closed: each query must be requested again before it is shown
 *        close
 * ```
 */
export class Refresher {
  readonly #client: QueryClient;
  readonly #api: Api;
  readonly #loader: ComparingLoader;
  readonly #id: string;
  readonly #onRejected: () => void;
  readonly #unsubscribe: () => void;
  /** For queries that were sent before this object existed. */
  #first: Known;
  #now: Known;
  readonly #asked = new WeakMap<Query, Known>();
  readonly #has = new WeakMap<Query, Known>();
  /** Experiments with new visible data that has not been requested yet. */
  readonly #moved = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #restUntil = 0;
  #failures = 0;
  #wanted = false;
  #working = false;
  #paused = false;
  #rejected = false;
  #closed = false;

  /** `onRejected`: called if the server denies access. */
  constructor(client: QueryClient, api: Api, loader: ComparingLoader, id: string, onRejected: () => void = () => undefined) {
    this.#client = client;
    this.#api = api;
    this.#loader = loader;
    this.#id = id;
    this.#onRejected = onRejected;
    this.#now = { marks: new Map([[id, marksOf(client.getQueryData<readonly RunJson[]>(['runs', id]) ?? [])]]), past: 0 };
    this.#first = this.#now;
    this.#unsubscribe = client.getQueryCache().subscribe((event) => this.#hear(event));
  }

  /** Call this when new data of the page's experiment or of a compared one becomes visible. */
  moved(id = this.#id): void {
    this.#moved.add(id);
    this.#want();
  }

  /** Call this when data that was already read may have changed. */
  changed(): void {
    this.#now = { ...this.#now, past: this.#now.past + 1 };
    this.moved();
  }

  /** Adds compared experiments that are loaded. */
  compare(ids: readonly string[]): void {
    for (const id of ids) {
      const parts = this.#client.getQueryData<ComparedParts>(['compared', id]);
      if (!parts || this.#now.marks.has(id)) continue;
      const marks = marksOf(parts.runs);
      this.#first = { ...this.#first, marks: new Map(this.#first.marks).set(id, marks) };
      this.#now = { ...this.#now, marks: new Map(this.#now.marks).set(id, marks) };
    }
  }

  /** Stops requests until `resume`. */
  pause(): void {
    this.#paused = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Resumes even after access was denied, because the reader may have signed in since. */
  resume(): void {
    this.#paused = false;
    this.#rejected = false;
    this.#restUntil = 0;
    if (this.#wanted) this.#want();
  }

  /** Stops following. All cached data must be requested again before it is shown. */
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
    if (this.#closed || this.#paused || this.#rejected || this.#working) return;
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
    this.#rest(this.#failures > 0 ? backOffMs(this.#failures) : Math.max(minPauseMs, took * restFactor));
    if (this.#wanted) this.#want();
  }

  /** Reads the progress of the runs of all experiments with new data. */
  async #readRuns(): Promise<void> {
    for (const id of this.#moved) {
      this.#moved.delete(id);
      try {
        await (id === this.#id ? this.#readOwn() : this.#readCompared(id));
      } catch (error) {
        if (!mayRetry(error) && id !== this.#id) continue; // the page reports that it cannot be read
        this.#moved.add(id);
        if (!mayRetry(error)) {
          this.#rejected = true;
          this.#onRejected();
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
    if (state?.dataUpdateCount !== before || state?.fetchStatus === 'fetching') return; // a run was edited in the meantime, and that response is newer
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

  /**
   * Requests the outdated data that is visible. Other data is requested when it becomes visible.
   * Throws if a retry may help.
   */
  async #refresh(): Promise<void> {
    const work: Promise<void>[] = [];
    for (const query of this.#queries()) {
      if (!this.#isBehind(query)) continue;
      if (!query.isActive()) query.invalidate();
      else if (query.state.fetchStatus === 'idle') work.push(this.#bringUp(query)); // running queries are checked when they finish
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
    if (kind === 'scalars') return this.#grownOf(known, requestOf(query.queryKey)).size > 0;
    const ids = ofAll.has(kind) ? [...this.#now.marks.keys()] : [own];
    return ids.some((id) => this.#marksOf(known, id) !== this.#now.marks.get(id));
  }

  #marksOf(known: Known, id: string): RunMarks | undefined {
    return known.marks.get(id) ?? this.#first.marks.get(id);
  }

  /** The runs in a chart that have grown since `known`, by their names in the chart. */
  #grownOf(known: Known, request: ComparingRequest): Map<string, Growth> {
    const grown = new Map<string, Growth>();
    const wanted = request.runs && new Set(request.runs);
    for (const { id, prefix } of [{ id: this.#id, prefix: '' }, ...request.compared]) {
      const marks = this.#now.marks.get(id);
      if (!marks) continue;
      for (const [run, growth] of grownBetween(this.#marksOf(known, id), marks))
        if (!wanted || wanted.has(prefix + run)) grown.set(prefix + run, growth);
    }
    return grown;
  }

  async #bringUp(query: Query): Promise<void> {
    if (query.queryKey[0] === 'scalars' && (await this.#grow(query))) return;
    const refetched = this.#client.invalidateQueries({ queryKey: query.queryKey, exact: true }, { throwOnError: true });
    await refetched.catch(unlessCancelled);
  }

  /** Appends a chart's new data. Returns false if all of its data must be requested again. */
  async #grow(query: Query): Promise<boolean> {
    const now = this.#now;
    const request = requestOf(query.queryKey);
    const { data, dataUpdateCount, isInvalidated } = query.state;
    const known = data as readonly ScalarSeries[] | undefined;
    const before = this.#knownOf(query);
    const grown = this.#grownOf(before, request);
    if (!known || isInvalidated || request.steps !== null || before.past !== now.past) return false;
    const growing = known.filter(({ run }) => grown.has(run));
    if (growing.some(({ run }) => grown.get(run) !== 'end')) return false;
    if (growing.some(({ writer }) => writer !== null)) return false; // it is unknown which of the writers grew
    const groups = groupByEnd(growing, request.points / 2);
    if (!groups || groups.length > maxGroups) return false;
    const isThere = new Set(growing.map(({ run }) => run));
    const others = [...grown.keys()].filter((run) => !isThere.has(run)).sort();
    const [startedRuns, ...responses] = await Promise.all([
      others.length === 0 ? [] : this.#loader.load({ ...request, runs: others }),
      ...groups.map((group) => this.#loader.load({ ...request, runs: group.runs, steps: { from: group.from, to: null } })),
    ]);
    if (startedRuns.length > 0) return false;
    const tails = new Map(responses.flat().map((tail) => [tail.run, tail]));
    const joined = known.map((series) => {
      const tail = tails.get(series.run);
      return grown.has(series.run) ? tail && appendTail(series, tail) : series;
    });
    const isLong = joined.some((series) => series && series.step.length > request.points * maxGrowth);
    if (isLong || joined.some((series) => !series)) return false;
    const { state } = query;
    // If the query has newer data or is loading, that request was sent later: points in the tail
    // may have been deleted by now
    if (state.dataUpdateCount !== dataUpdateCount || state.isInvalidated || state.fetchStatus !== 'idle' || this.#now.past !== now.past) {
      this.#wanted = true;
      return true;
    }
    if (joined.some((series, i) => series !== known[i])) this.#client.setQueryData(query.queryKey, joined);
    this.#has.set(query, now);
    return true;
  }
}

/** A canceled query did not fail. */
function unlessCancelled(error: unknown): void {
  if (!isCancelledError(error)) throw error;
}
