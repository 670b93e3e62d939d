import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentId } from '#model';
import { describeWith, seededRandom } from '#testing';
import type { TestEvent } from '../../../ingest/src/testing/deletion-world.ts';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const random = seededRandom(3);
const noise = Array.from({ length: 9_000 }, () => Math.fround(random()));

/** Values by step. Steps that drop and rise again are a restart. */
const logged: Readonly<Record<string, readonly (readonly [step: number, value: number])[]>> = {
  chunks: noise.map((value, i) => [i * 3, value]),
  equal: [0.5, 0.25, 0.75, 0.25, 0.75].map((value, i) => [i * 10, value]),
  infinite: [1, Number.NaN, Infinity, -Infinity, 2].map((value, i) => [i, value]),
  nothing: [[4, Number.NaN]],
  // the smallest value is superseded
  restarted: [...[5, 4, 0, 6].map((value, i) => [i, value] as const), ...[3, 2, 7].map((value, i) => [i + 2, value] as const)],
};

/** The first step of the smallest (`sign` 1) or largest (-1) effective value. */
function bestStep(run: string, sign: 1 | -1): number | null {
  const points = logged[run]!;
  const effective = points.filter(([step], i) => !points.slice(i + 1).some(([later]) => later <= step));
  const numbers = effective.filter(([, value]) => !Number.isNaN(value));
  if (numbers.length === 0) return null;
  return numbers.reduce((best, one) => (one[1] * sign < best[1] * sign ? one : best))[0];
}

describeWith(['postgres'], "the step of a run's smallest and largest value", () => {
  let service: ReadService;
  let owner: TestTenant;
  let experiment: ExperimentId;
  let world: LoggedExperiments;

  beforeAll(async () => {
    service = await startReadService();
    world = new LoggedExperiments(service);
    owner = await service.tenant();
    const events = Object.entries(logged).map(([run, points]) => {
      const list = points.map(([step, scalar], i): TestEvent => ({
        step: BigInt(step),
        ...(i > 0 && step <= points[i - 1]![0] && { start: true }),
        values: [{ tag: 'loss', scalar }],
      }));
      return [run, list] as const;
    });
    experiment = await world.make(owner, Object.fromEntries(events));
  });
  afterAll(async () => {
    await world?.close();
    await service?.close();
  });

  const list = async (query: readonly (readonly [string, string])[], as: TestTenant | null = owner, headers = {}) => {
    const parameters = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]));
    return (await service.call(as, 'GET', `/api/v1/experiments/${experiment}/runs?${parameters.toString()}`, { headers })).json;
  };

  it('is a value of the run, that of its effective points', async () => {
    const { runs } = await list([
      ['value', 'min_step("loss")'],
      ['value', 'max_step("loss")'],
      ['value', 'min_step("no such tag")'],
    ]);
    expect(runs.map(({ run, values }: { run: string; values: unknown[] }) => [run, ...values])).toEqual(
      Object.keys(logged)
        .toSorted()
        .map((run) => [run, bestStep(run, 1), bestStep(run, -1), null]),
    );
  });

  it('orders and filters lists', async () => {
    const inOrder = Object.keys(logged).toSorted(
      (a, b) => (bestStep(a, -1) ?? Infinity) - (bestStep(b, -1) ?? Infinity) || (a < b ? -1 : 1),
    );
    expect((await list([['order_by', 'max_step("loss")']])).runs.map(({ run }: { run: string }) => run)).toEqual(inOrder);
    const { runs } = await list([['filter', 'min_step("loss") = 10']]);
    expect(runs.map(({ run }: { run: string }) => run)).toEqual(['equal']);
  });
});
