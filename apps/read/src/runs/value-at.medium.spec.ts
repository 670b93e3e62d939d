import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentId } from '#model';
import { describeWith, seededRandom } from '#testing';
import type { TestEvent } from '../../../ingest/src/testing/deletion-world.ts';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const random = seededRandom(9);
const runs = Array.from({ length: 12 }, (_, i) => ({
  run: `run ${String(i).padStart(2, '0')}`,
  // The loss is logged at each step, the accuracy at every third; two runs are short
  losses: Array.from({ length: i % 5 === 4 ? 4 : 20 + i }, () => Math.fround(random())),
  accuracies: Array.from({ length: 9 }, () => Math.fround(random())),
}));
type Run = (typeof runs)[number];

const lossAt = ({ losses }: Run, step: number): number => losses[Math.min(step, losses.length - 1)]!;
const accuracyAt = ({ accuracies }: Run, step: number): number => accuracies[Math.min(Math.floor(step / 3), accuracies.length - 1)]!;
const bestStep = ({ losses }: Run): number => losses.indexOf(Math.min(...losses));

describeWith(['postgres'], "a run's values at a step", () => {
  let service: ReadService;
  let owner: TestTenant;
  let experiment: ExperimentId;
  let world: LoggedExperiments;

  beforeAll(async () => {
    service = await startReadService();
    world = new LoggedExperiments(service);
    owner = await service.tenant();
    const events = runs.map(({ run, losses, accuracies }) => {
      const loss = losses.map((scalar, i): TestEvent => ({ step: BigInt(i), values: [{ tag: 'loss', scalar }] }));
      const accuracy = accuracies.map((scalar, i): TestEvent => ({ step: BigInt(3 * i), values: [{ tag: 'val, acc', scalar }] }));
      return [run, [...loss, ...accuracy]] as const;
    });
    experiment = await world.make(owner, Object.fromEntries(events));
  });
  afterAll(async () => {
    await world?.close();
    await service?.close();
  });

  const list = async (query: readonly (readonly [string, string])[], headers = {}, as: TestTenant | null = owner) => {
    const parameters = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]));
    return (await service.call(as, 'GET', `/api/v1/experiments/${experiment}/runs?${parameters.toString()}`, { headers })).json;
  };
  const names = ({ runs: found }: { runs: { run: string }[] }) => found.map(({ run }) => run);

  it('are values of the list, with their steps', async () => {
    const { runs: found } = await list([
      ['value', 'value_at("loss", 10)'],
      ['value', 'last_step("loss")'],
      ['value', 'step_at("loss", 10)'],
      ['value', 'value_at_min("val, acc", "loss")'],
      ['value', 'step_at_min("val, acc", "loss")'],
      ['value', 'value_at("loss", -1)'],
    ]);
    expect(found.map(({ run, values }: { run: string; values: unknown[] }) => [run, ...values])).toEqual(
      runs.map((one) => [
        one.run,
        lossAt(one, 10),
        one.losses.length - 1,
        Math.min(10, one.losses.length - 1),
        accuracyAt(one, bestStep(one)),
        Math.min(3 * Math.floor(bestStep(one) / 3), 24),
        null,
      ]),
    );
  });

  it('order the list over its pages, and filter it', async () => {
    const sorted = runs.toSorted((a, b) => lossAt(b, 10) - lossAt(a, 10)).map(({ run }) => run);
    const found: string[] = [];
    for (let token = ''; ;) {
      const page = await list([
        ['order_by', 'value_at("loss", 10) desc'],
        ['page_size', '5'],
        ['value', 'value_at("loss", 10)'],
        ...(token === '' ? [] : ([['page_token', token]] as const)),
      ]);
      found.push(...names(page));
      token = page.next_page_token ?? '';
      if (token === '') break;
    }
    expect(found).toEqual(sorted);
    const filtered = await list([
      ['filter', 'value_at_min("val, acc", "loss") > 0.5 AND NOT value_at("loss", 3) < 0.2'],
      ['order_by', 'value_at_min("val, acc", "loss")'],
      ['total', 'true'],
    ]);
    const wanted = runs.filter((one) => accuracyAt(one, bestStep(one)) > 0.5 && lossAt(one, 3) >= 0.2);
    expect(wanted.length).toBeGreaterThan(1);
    expect(names(filtered)).toEqual(
      wanted.toSorted((a, b) => accuracyAt(a, bestStep(a)) - accuracyAt(b, bestStep(b))).map(({ run }) => run),
    );
    expect(filtered.total).toBe(wanted.length);
  });

  it('are bounded in a filter', async () => {
    const terms = Array.from({ length: 9 }, (_, i) => `value_at("loss", ${i}) > 0`);
    expect((await list([['filter', terms.slice(1).join(' AND ')]])).runs).toHaveLength(runs.length);
    expect((await list([['filter', terms.join(' AND ')]])).code).toBe('invalid-filter');
  });

  it('are missing for visitors who do not see one of the tags', async () => {
    const body = { runs: runs.map(({ run }) => run), tags: ['loss'] };
    const { json: link } = await service.call(owner, 'POST', `/api/v1/experiments/${experiment}/share-links`, { body });
    const visitor = { 'plotline-share': String(link.url).split('/').at(-1)! };
    const { runs: found } = await list(
      [
        ['value', 'value_at("loss", 3)'],
        ['value', 'value_at("val, acc", 3)'],
        ['value', 'value_at_min("loss", "val, acc")'],
        ['order_by', 'value_at("val, acc", 3)'],
      ],
      visitor,
      null,
    );
    expect(found.map(({ run, values }: { run: string; values: unknown[] }) => [run, ...values])).toEqual(
      runs.map((one) => [one.run, lossAt(one, 3), null, null]),
    );
  });
});
