import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentId } from '#model';
import { describeWith } from '#testing';
import type { TestEvent } from '../../../ingest/src/testing/deletion-world.ts';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const events = (count: number, values: (step: number) => TestEvent['values']): TestEvent[] =>
  Array.from({ length: count }, (_, step) => ({ step: BigInt(step), values: values(step) }));

describeWith(['postgres'], 'the newest run in the list of experiments', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  let owner: TestTenant;
  let id: ExperimentId;

  beforeAll(async () => {
    service = await startReadService();
    logged = new LoggedExperiments(service);
    owner = await service.tenant();
    id = await logged.make(owner, {
      older: events(3, () => [{ tag: 'loss', scalar: 9 }]),
      newer: events(1_000, (step) => [
        { tag: 'epoch', scalar: step },
        { tag: 'train/loss', scalar: 1 },
        { tag: 'val/loss', scalar: step === 500 ? -7 : step },
      ]),
    });
    await logged.make(owner, {}, 'empty');
    const start = (run: string, at: number) =>
      service.sql(
        `update run_state s set start_time = $2 from run r
         where r.tenant_id = s.tenant_id and r.run_id = s.run_id and r.experiment_id = $3 and r.name = $1`,
        [run, at, id],
      );
    await start('older', 1_000);
    await start('newer', 2_000);
  });
  afterAll(async () => {
    await logged?.close();
    await service?.close();
  });

  const list = async (query: string, as = owner) => (await service.call(as, 'GET', `/api/v1/experiments?${query}`)).json;
  const newest = async () => (await list('newest_run=true')).experiments.find((one: { id: string }) => one.id === id).newest_run;

  it('is returned on request, with its main metric', async () => {
    expect((await list('')).experiments[0]).not.toHaveProperty('newest_run');
    const { run, state, metric } = await newest();
    expect([run, state, metric.tag, metric.last, metric.min, metric.max]).toEqual(['newer', 'unknown', 'val/loss', 999, -7, 999]);
    expect(metric.steps.length).toBeLessThanOrEqual(32);
    expect(metric.steps.at(-1)).toBe(999);
    expect(metric.values).toEqual(metric.steps.map((step: number) => (step === 500 ? -7 : step)));
  });

  it('is absent without runs, and changes when it is archived', async () => {
    const page = await list('newest_run=true&page_size=1000');
    expect(page.experiments.find(({ name }: { name: string }) => name === 'empty').newest_run).toBeNull();
    await service.call(owner, 'PATCH', `/api/v1/experiments/${id}/runs`, { body: { runs: ['newer'], archived: true } });
    expect(await newest()).toMatchObject({ run: 'older', metric: { tag: 'loss', last: 9, steps: [0, 1, 2] } });
    await service.call(owner, 'PATCH', `/api/v1/experiments/${id}/runs`, { body: { runs: ['newer'], archived: false } });
  });

  it('is returned only for experiments that the caller may see', async () => {
    const stranger = await service.tenant('Other');
    expect((await list('newest_run=true', stranger)).experiments).toEqual([]);
  });
});
