import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readSeries, type ScalarSeries } from '#charts';
import type { Api } from '../api/api.ts';
import { ApiProblem } from '../api/problem.ts';
import type { ScalarLoader, ScalarRequest } from '../api/scalar-loader.ts';
import { listedRun } from '../api/testing/listed.ts';
import type { RunJson } from '../api/types.ts';
import { scalarsKey } from '../chart/scalars-key.ts';
import { ComparingLoader, type ComparingRequest } from '../compare/comparing-loader.ts';
import { Refresher } from './refresher.ts';

type Point = readonly [step: number, wallTime: number];

/**
 * An experiment with points and responses that a test controls. Requests get the current state
 * unless they are held.
 */
class FakeExperiment {
  readonly runs = new Map<string, Point[]>();
  /** Whether the callers see only a part of the experiment. */
  isPart = false;
  /** The error that each request gets. */
  fault: Error | null = null;
  /** Like {@link fault}, but only for charts. */
  chartFault: Error | null = null;
  /** Whether chart requests get responses. If not, they wait. */
  #open = Promise.resolve();
  release: () => void = () => undefined;
  lists = 0;
  readonly requests: ScalarRequest[] = [];

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

  readonly load = async (request: ScalarRequest): Promise<ScalarSeries[]> => {
    this.requests.push(request);
    const fault = this.fault ?? this.chartFault;
    const { from, to } = { from: request.steps?.from ?? -Infinity, to: request.steps?.to ?? Infinity };
    const response = [...this.runs].flatMap(([run, points]) => {
      const inside = points.filter(([step]) => step >= from && step <= to).toSorted(([a], [b]) => a - b);
      if (request.runs && !request.runs.includes(run)) return [];
      const columns = {
        step: inside.map(([step]) => step),
        wall_time: inside.map(([, time]) => time),
        value: inside.map(([step]) => step),
      };
      return [readSeries({ run, tag: request.tag, sampling: 'raw', source_points: inside.length, columns })];
    });
    await this.#open;
    if (fault) throw fault;
    return response;
  };
}

const id = 'own';
const whole: ComparingRequest = { tag: 't', runs: null, steps: null, points: 100, compared: [], smoothing: 0, spacing: 'linear' };
const zoomed: ComparingRequest = { ...whole, steps: { from: 0, to: 5 } };
const unavailable = new ApiProblem(503, 'unavailable', 'down');

describe('what a page shows while an experiment grows', () => {
  let client: QueryClient;
  let experiment: FakeExperiment;
  let refresher: Refresher;
  let rejected: number;
  const other = new FakeExperiment();

  beforeEach(async () => {
    vi.useFakeTimers();
    client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false, networkMode: 'always' } } });
    experiment = new FakeExperiment();
    rejected = 0;
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
  const make = (): Refresher => new Refresher(client, experiment as unknown as Api, loader(), id, () => rejected++);
  /** Shows a chart and returns its content. */
  const show = (request: ComparingRequest) => {
    const queryKey = scalarsKey(id, request);
    const observer = new QueryObserver(client, { queryKey, queryFn: () => loader().load(request) });
    const hide = observer.subscribe(() => undefined);
    const steps = () => client.getQueryData<ScalarSeries[]>(queryKey)?.map((series) => [...series.step]);
    return { hide, steps };
  };
  const pass = (ms = 5_000) => vi.advanceTimersByTimeAsync(ms);

  it('loads only new points', async () => {
    const chart = show(whole);
    await pass();
    experiment.log('a', [3, 30]);
    refresher.moved();
    await pass();
    expect(chart.steps()).toEqual([[1, 2, 3]]);
    expect(experiment.requests.map(({ steps }) => steps)).toEqual([null, { from: 2, to: null }]);
  });

  it('loads points whose clock is behind that of others', async () => {
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

  it('loads what a failed response should have brought', async () => {
    const chart = show(whole);
    await pass();
    experiment.log('a', [3, 30]);
    experiment.chartFault = unavailable;
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
  ])('loads points that arrive during its first request: %s', async (_, request) => {
    experiment.hold();
    const chart = show(request);
    await pass();
    experiment.log('a', [3, 30]);
    refresher.moved();
    await pass();
    experiment.release();
    await pass();
    expect(chart.steps()).toEqual([[1, 2, 3]]);
  });

  it('does not restore points that were deleted during a request', async () => {
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

  it('reloads when the past has changed, also what was in flight', async () => {
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

  it('shows a new run once the list contains it', async () => {
    const chart = show(whole);
    await pass();
    experiment.log('b', [1, 40]);
    refresher.moved();
    await pass();
    expect(chart.steps()).toEqual([[1, 2], [1]]);
    expect(client.getQueryData<RunJson[]>(['runs', id])?.map(({ run }) => run)).toEqual(['a', 'b']);
  });

  it('updates a partial view, without the number of points', async () => {
    experiment.isPart = true;
    const chart = show(whole);
    await pass();
    experiment.log('a', [3, 5]);
    refresher.moved();
    await pass();
    expect(chart.steps()).toEqual([[1, 2, 3]]);
    const asked = experiment.requests.length;
    await pass(60_000);
    expect(experiment.requests).toHaveLength(asked);
  });

  it('requests nothing if nothing grew, or while a chart is hidden', async () => {
    const chart = show(whole);
    await pass();
    refresher.moved();
    await pass();
    expect(experiment.requests).toHaveLength(1);
    chart.hide();
    experiment.log('a', [3, 30]);
    refresher.moved();
    await pass();
    expect(experiment.requests).toHaveLength(1);
    const again = show(whole);
    await pass();
    expect(again.steps()).toEqual([[1, 2, 3]]);
  });

  it('reloads for a viewer who returns after no one watched', async () => {
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

  it('requests nothing while the page is hidden, and reloads at once when it is shown', async () => {
    const chart = show(whole);
    await pass();
    experiment.log('a', [3, 30]);
    const { lists } = experiment;
    refresher.pause();
    refresher.moved();
    await pass(600_000);
    expect([experiment.lists - lists, experiment.requests.length]).toEqual([0, 1]);
    refresher.resume();
    await pass(100);
    expect(chart.steps()).toEqual([[1, 2, 3]]);
  });

  it('backs off while the server is down', async () => {
    show(whole);
    await pass();
    experiment.fault = unavailable;
    const { lists } = experiment;
    refresher.moved();
    await pass(600_000);
    expect(experiment.lists - lists).toBeGreaterThan(5);
    expect(experiment.lists - lists).toBeLessThan(30);
  });

  it.each([401, 403, 404])('stops after a permanent error, until the page is shown again: %d', async (status) => {
    const chart = show(whole);
    await pass();
    experiment.fault = new ApiProblem(status, 'no', 'no');
    experiment.log('a', [3, 30]);
    const { lists } = experiment;
    refresher.moved();
    await pass(600_000);
    refresher.moved();
    await pass(600_000);
    expect([experiment.lists - lists, rejected]).toEqual([1, 1]);
    experiment.fault = null;
    refresher.pause();
    refresher.resume();
    await pass();
    expect(chart.steps()).toEqual([[1, 2, 3]]);
  });

  it('also updates compared experiments', async () => {
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
