import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readSeries, type ScalarSeries } from '#charts';
import type { Api } from '../api/api.ts';
import { ApiProblem } from '../api/problem.ts';
import type { ScalarLoader, ScalarWish } from '../api/scalar-loader.ts';
import { listedRun } from '../api/testing/listed.ts';
import type { RunJson } from '../api/types.ts';
import { scalarsKey } from '../chart/scalars-key.ts';
import { ComparingLoader, type ComparingWish } from '../compare/comparing-loader.ts';
import { Refresher } from './refresher.ts';

type Point = readonly [step: number, wallTime: number];

/**
 * An experiment whose points, and whose responses, a test controls. Requests get the current state,
 * unless they are held.
 */
class FakeExperiment {
  readonly runs = new Map<string, Point[]>();
  /** Whether the callers see only a part. */
  isPart = false;
  /** The error of each request. */
  fault: Error | null = null;
  /** Like {@link fault}, only for charts. */
  chartFault: Error | null = null;
  /** Whether charts get responses: requests wait while they do not. */
  #open = Promise.resolve();
  release: () => void = () => undefined;
  lists = 0;
  readonly wishes: ScalarWish[] = [];

  log(run: string, ...points: Point[]): void {
    this.runs.set(run, [...(this.runs.get(run) ?? []), ...points]);
  }

  hold(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open = promise;
    this.release = () => {
      this.#open = Promise.resolve();
      resolve();
    };
  }

  readonly list = async (): Promise<RunJson[]> => {
    this.lists++;
    if (this.fault) throw this.fault;
    return [...this.runs].map(([run, points]) =>
      listedRun(run, {
        last_time: Math.max(...points.map(([, time]) => time)),
        events: this.isPart ? null : points.length,
        status: 'unknown',
      }),
    );
  };

  readonly load = async (wish: ScalarWish): Promise<ScalarSeries[]> => {
    this.wishes.push(wish);
    const fault = this.fault ?? this.chartFault;
    const { from, to } = { from: wish.steps?.from ?? -Infinity, to: wish.steps?.to ?? Infinity };
    const answer = [...this.runs].flatMap(([run, points]) => {
      const inside = points.filter(([step]) => step >= from && step <= to).toSorted(([a], [b]) => a - b);
      if (wish.runs && !wish.runs.includes(run)) return [];
      const columns = {
        step: inside.map(([step]) => step),
        wall_time: inside.map(([, time]) => time),
        value: inside.map(([step]) => step),
      };
      return [readSeries({ run, tag: wish.tag, sampling: 'raw', source_points: inside.length, columns })];
    });
    await this.#open;
    if (fault) throw fault;
    return answer;
  };
}

const id = 'own';
const whole: ComparingWish = { tag: 't', runs: null, steps: null, points: 100, compared: [], smoothing: 0, spacing: 'linear' };
const zoomed: ComparingWish = { ...whole, steps: { from: 0, to: 5 } };
const away = new ApiProblem(503, 'unavailable', 'away');

describe('what a page shows, while an experiment grows', () => {
  let client: QueryClient;
  let experiment: FakeExperiment;
  let refresher: Refresher;
  let refused: number;
  const other = new FakeExperiment();

  beforeEach(async () => {
    vi.useFakeTimers();
    client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false, networkMode: 'always' } } });
    experiment = new FakeExperiment();
    refused = 0;
    experiment.log('a', [1, 10], [2, 20]);
    client.setQueryData(['runs', id], await experiment.list());
    refresher = make();
  });
  afterEach(() => {
    refresher.close();
    client.clear();
    vi.useRealTimers();
  });

  const loader = (): ComparingLoader => new ComparingLoader(experiment as unknown as ScalarLoader, () => other as unknown as ScalarLoader);
  const make = (): Refresher => new Refresher(client, experiment as unknown as Api, loader(), id, () => refused++);
  /** Shows a chart, and returns what it shows. */
  const show = (wish: ComparingWish) => {
    const queryKey = scalarsKey(id, wish);
    const observer = new QueryObserver(client, { queryKey, queryFn: () => loader().load(wish) });
    const hide = observer.subscribe(() => undefined);
    const steps = () => client.getQueryData<ScalarSeries[]>(queryKey)?.map((series) => [...series.step]);
    return { hide, steps };
  };
  const pass = (ms = 5_000) => vi.advanceTimersByTimeAsync(ms);

  it('gets what is new of it, and no more', async () => {
    const chart = show(whole);
    await pass();
    experiment.log('a', [3, 30]);
    refresher.moved();
    await pass();
    expect(chart.steps()).toEqual([[1, 2, 3]]);
    expect(experiment.wishes.map(({ steps }) => steps)).toEqual([null, { from: 2, to: null }]);
  });

  it('gets points whose clock is older than that of others', async () => {
    const chart = show(whole);
    await pass();
    experiment.log('a', [3, 5], [4, 20]);
    refresher.moved();
    await pass();
    expect(chart.steps()).toEqual([[1, 2, 3, 4]]);
    experiment.log('a', [0, 1]);
    refresher.moved();
    await pass();
    expect(chart.steps()).toEqual([[0, 1, 2, 3, 4]]);
  });

  it('gets what an answer that failed should have brought', async () => {
    const chart = show(whole);
    await pass();
    experiment.log('a', [3, 30]);
    experiment.chartFault = away;
    refresher.moved();
    await pass();
    expect(chart.steps()).toEqual([[1, 2]]);
    experiment.chartFault = null;
    await pass(60_000);
    expect(chart.steps()).toEqual([[1, 2, 3]]);
  });

  it.each([
    ['whole', whole],
    ['zoomed', zoomed],
  ])('gets what came while its first answer was under way: %s', async (_, wish) => {
    experiment.hold();
    const chart = show(wish);
    await pass();
    experiment.log('a', [3, 30]);
    refresher.moved();
    await pass();
    experiment.release();
    await pass();
    expect(chart.steps()).toEqual([[1, 2, 3]]);
  });

  it('does not get back what was deleted while it was asked for', async () => {
    const chart = show(whole);
    await pass();
    experiment.log('a', [3, 30]);
    experiment.hold();
    refresher.moved();
    await pass();
    const tail = experiment.release;
    experiment.hold();
    experiment.runs.set('a', [[1, 10]]);
    void client.invalidateQueries({ queryKey: scalarsKey(id, whole) }); // like a component that changes something
    experiment.release();
    await vi.advanceTimersByTimeAsync(10);
    expect(chart.steps()).toEqual([[1]]);
    tail();
    await vi.advanceTimersByTimeAsync(10);
    expect(chart.steps()).toEqual([[1]]);
    refresher.changed();
    await pass();
    expect(chart.steps()).toEqual([[1]]);
  });

  it('is asked for anew when the past has changed, also what was under way', async () => {
    experiment.hold();
    const chart = show(whole);
    await pass();
    experiment.runs.set('a', [[1, 10]]);
    refresher.changed();
    await pass();
    experiment.release();
    await pass();
    expect(chart.steps()).toEqual([[1]]);
  });

  it('gets a run that begins, which is in the list then', async () => {
    const chart = show(whole);
    await pass();
    experiment.log('b', [1, 40]);
    refresher.moved();
    await pass();
    expect(chart.steps()).toEqual([[1, 2], [1]]);
    expect(client.getQueryData<RunJson[]>(['runs', id])?.map(({ run }) => run)).toEqual(['a', 'b']);
  });

  it('is brought up to date for whoever sees a part, and is not told how much there is', async () => {
    experiment.isPart = true;
    const chart = show(whole);
    await pass();
    experiment.log('a', [3, 5]);
    refresher.moved();
    await pass();
    expect(chart.steps()).toEqual([[1, 2, 3]]);
    const asked = experiment.wishes.length;
    await pass(60_000);
    expect(experiment.wishes).toHaveLength(asked);
  });

  it('is left alone when nothing grew, and while nobody looks at it', async () => {
    const chart = show(whole);
    await pass();
    refresher.moved();
    await pass();
    expect(experiment.wishes).toHaveLength(1);
    chart.hide();
    experiment.log('a', [3, 30]);
    refresher.moved();
    await pass();
    expect(experiment.wishes).toHaveLength(1);
    const again = show(whole);
    await pass();
    expect(again.steps()).toEqual([[1, 2, 3]]);
  });

  it('is asked for anew by whoever comes back after nobody has followed it', async () => {
    const chart = show(whole);
    await pass();
    chart.hide();
    refresher.close();
    experiment.log('a', [3, 30]);
    refresher = make();
    const again = show(whole);
    await pass();
    expect(again.steps()).toEqual([[1, 2, 3]]);
  });

  it('is not asked for while the page is hidden, and then at once', async () => {
    const chart = show(whole);
    await pass();
    experiment.log('a', [3, 30]);
    const { lists } = experiment;
    refresher.pause();
    refresher.moved();
    await pass(600_000);
    expect([experiment.lists - lists, experiment.wishes.length]).toEqual([0, 1]);
    refresher.resume();
    await pass(100);
    expect(chart.steps()).toEqual([[1, 2, 3]]);
  });

  it('is asked for less and less often while the server is away', async () => {
    show(whole);
    await pass();
    experiment.fault = away;
    const { lists } = experiment;
    refresher.moved();
    await pass(600_000);
    expect(experiment.lists - lists).toBeGreaterThan(5);
    expect(experiment.lists - lists).toBeLessThan(30);
  });

  it.each([401, 403, 404])('is not asked for again after a clear no, until one comes back to the page: %d', async (status) => {
    const chart = show(whole);
    await pass();
    experiment.fault = new ApiProblem(status, 'no', 'no');
    experiment.log('a', [3, 30]);
    const { lists } = experiment;
    refresher.moved();
    await pass(600_000);
    refresher.moved();
    await pass(600_000);
    expect([experiment.lists - lists, refused]).toEqual([1, 1]);
    experiment.fault = null;
    refresher.pause();
    refresher.resume();
    await pass();
    expect(chart.steps()).toEqual([[1, 2, 3]]);
  });

  it('follows the experiments that are compared, too', async () => {
    other.log('x', [1, 10]);
    const compared = new QueryObserver(client, { queryKey: ['compared', 'other'], queryFn: async () => ({ runs: await other.list() }) });
    compared.subscribe(() => undefined);
    await pass();
    const chart = show({ ...whole, compared: [{ id: 'other', prefix: 'other//' }] });
    refresher.compare(['other']);
    await pass();
    other.log('x', [2, 20]);
    other.log('y', [3, 20]);
    refresher.moved('other');
    await pass();
    expect(chart.steps()).toEqual([[1, 2], [1, 2], [3]]);
    expect(experiment.lists).toBe(1);
    expect(client.getQueryData<{ runs: RunJson[] }>(['compared', 'other'])?.runs).toHaveLength(2);
    expect(other.lists).toBe(2);
  });
});
