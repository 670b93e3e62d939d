import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fileIdOf } from '#model/testing';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

describeWith(['postgres'], 'runs', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let id: string;
  let runs: StoredRuns;

  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant();
    runs = await StoredRuns.start(service, tenant);
    id = runs.experimentId;
    const spec = [
      [
        'b/lr=0.1',
        {
          status: 'success',
          startTime: 100,
          lastTime: 200,
          hparams: { lr: 0.1, opt: 'adam', nesterov: true, '0.01': 'odd', bad: 'NaN', warmup: 'Infinity' },
        },
        { last: 0.95, min: 0.1, max: 0.95, lastStep: '20' },
      ],
      [
        'a/lr=0.01',
        { status: 'failure', startTime: 50.5, lastTime: 60, hparams: { lr: 0.01, opt: 'sgd', nesterov: false, warmup: 5 } },
        { last: 0.5, min: -1e300, max: 0.9, lastStep: '10' },
      ],
      [
        'c',
        { startTime: null, hparams: { lr: 1, warmup: 9_007_199_254_740_992 } },
        { last: Number.NaN, min: null, max: null, lastStep: '30' },
      ],
      ['.', { startTime: 70, lastTime: 80 }, null],
      ['d', { hparams: { lr: '0.01', warmup: 'NaN' } }, { last: Number.POSITIVE_INFINITY, min: 0, max: Number.POSITIVE_INFINITY }],
    ] as const;
    for (const [name, run, stats] of spec) {
      const runId = await runs.run(name, run);
      if (!stats) continue;
      await runs.series(runId, { tag: 'val/acc', ...stats });
      await runs.series(runId, { tag: 'val/acc', twin: true, dataClass: 'tensor' });
    }
    await runs.run('unread', { events: 0 });
  });
  afterAll(() => service?.close());

  const list = async (query: Record<string, string> = {}) =>
    service.call(tenant, 'GET', `/api/v1/experiments/${id}/runs?${new URLSearchParams(query).toString()}`);
  const names = async (query: Record<string, string>) => {
    const { json } = await list(query);
    return json.runs?.map(({ run }: { run: string }) => run) ?? json;
  };

  it('lists runs with a readable event by name, with times, status and hyperparameters', async () => {
    const { json } = await list();
    expect(json.runs.map(({ run }: { run: string }) => run)).toEqual(['.', 'a/lr=0.01', 'b/lr=0.1', 'c', 'd']);
    expect(json.runs[2]).toEqual({
      run: 'b/lr=0.1',
      start_time: 100,
      last_time: 200,
      events: 1,
      status: 'success',
      group: null,
      display_name: null,
      job_type: null,
      config: { lr: 0.1, opt: 'adam', nesterov: true, '0.01': 'odd', bad: 'NaN', warmup: 'Infinity' },
      hparams: { lr: 0.1, opt: 'adam', nesterov: true, '0.01': 'odd', bad: 'NaN', warmup: 'Infinity' },
      state: 'finished',
      heartbeat: null,
      source: null,
      person: null,
      host: null,
      labels: [],
      notes: '',
      archived: false,
    });
    expect(json.runs[0]).toMatchObject({ status: 'unknown', hparams: {} });
    expect(json.next_page_token).toBeUndefined();
  });

  it.each([
    ['last("val/acc") >= 0.9 AND hparam("lr") < 0.5', ['b/lr=0.1']],
    ['last("val/acc") >= 0.9', ['b/lr=0.1', 'd']],
    ['last("val/acc") < 2', ['a/lr=0.01', 'b/lr=0.1']],
    ['last("val/acc") = NaN', ['c']],
    ['NOT last("val/acc") >= 0.9', ['.', 'a/lr=0.01', 'c']],
    ['max("val/acc") = Infinity', ['d']],
    ['min("val/acc") < -1e299', ['a/lr=0.01']],
    ['last("no such tag") != 1', ['.', 'a/lr=0.01', 'b/lr=0.1', 'c', 'd']],
    ['last("no such tag") < 1', []],
    ['config.lr = 0.01', ['a/lr=0.01']],
    ['last("val/acc") >= 0.9 and config.lr < 0.5', ['b/lr=0.1']],
    ['config.0.01 = odd', ['b/lr=0.1']],
    ['config("opt") = sgd OR config.nesterov = true', ['a/lr=0.01', 'b/lr=0.1']],
    ['config. = 1', 'invalid-filter'],
    ['hparam("lr") >= 0.1', ['b/lr=0.1', 'c']],
    ['hparam("lr") = "0.01"', ['d']],
    ['hparam("lr") = 0.01', ['a/lr=0.01']],
    ['hparam("opt") != "adam"', ['.', 'a/lr=0.01', 'c', 'd']],
    ['hparam("opt") ~ "^(adam|sgd)$"', ['a/lr=0.01', 'b/lr=0.1']],
    ['hparam("nesterov") = true', ['b/lr=0.1']],
    ['hparam("bad") = NaN', ['b/lr=0.1']],
    ['hparam("bad") > 1 OR hparam("opt") > 1', []],
    ['hparam("0.01") = odd', ['b/lr=0.1']],
    ['status = success OR status = failure', ['a/lr=0.01', 'b/lr=0.1']],
    ['name ~ "^[ab]/" AND NOT (status = failure)', ['b/lr=0.1']],
    ['lr=0.1', 'invalid-filter'],
    ['"lr=0.1"', ['b/lr=0.1']],
    ['start_time > 60 last_time <= 80', ['.']],
    ['start_time = 50.5', ['a/lr=0.01']],
    ['duration < 50', ['.', 'a/lr=0.01']],
    ['last_step("val/acc") >= 20', ['b/lr=0.1', 'c']],
    ['state("10") = finished', ['b/lr=0.1']],
    ['state("10") = failed', ['a/lr=0.01']],
    ['state("10") = running', ['c', 'd']], // no time: nothing says that they stopped
    ['state("10") = unknown', ['.']],
    ['state("a text") != unknown', ['a/lr=0.01', 'b/lr=0.1', 'c', 'd']],
    [`name = "x' or 1=1 --"`, []],
  ])('filters by %s', async (filter, expected) => {
    const found = await names({ filter });
    expect(Array.isArray(found) ? found : found.code).toEqual(expected);
  });

  it.each([
    ['start_time', ['a/lr=0.01', '.', 'b/lr=0.1', 'c', 'd']],
    ['start_time desc', ['b/lr=0.1', '.', 'a/lr=0.01', 'c', 'd']],
    ['last("val/acc") desc', ['b/lr=0.1', 'a/lr=0.01', '.', 'c', 'd']],
    ['last("val/acc")', ['a/lr=0.01', 'b/lr=0.1', '.', 'c', 'd']],
    ['max("val/acc") desc', ['b/lr=0.1', 'a/lr=0.01', '.', 'c', 'd']],
    ['hparam("warmup")', ['a/lr=0.01', 'c', '.', 'b/lr=0.1', 'd']],
    ['hparam("warmup") desc', ['c', 'a/lr=0.01', '.', 'b/lr=0.1', 'd']],
    ['duration desc', ['b/lr=0.1', '.', 'a/lr=0.01', 'c', 'd']],
    ['last_step("val/acc") desc', ['c', 'b/lr=0.1', 'a/lr=0.01', '.', 'd']],
    ['state("10"), name desc', ['a/lr=0.01', 'b/lr=0.1', 'd', 'c', '.']],
    ['status desc, name desc', ['d', 'c', '.', 'b/lr=0.1', 'a/lr=0.01']],
    ['config.lr', ['d', 'a/lr=0.01', 'b/lr=0.1', 'c', '.']],
    ['hparam("lr")', ['d', 'a/lr=0.01', 'b/lr=0.1', 'c', '.']],
  ])('orders by %s, and pages give the same', async (order_by, expected) => {
    expect(await names({ order_by })).toEqual(expected);
    const seen: string[] = [];
    let page_token: string | undefined;
    do {
      const { json } = await list({ order_by, page_size: '2', ...(page_token && { page_token }) });
      seen.push(...json.runs.map(({ run }: { run: string }) => run));
      page_token = json.next_page_token;
    } while (page_token);
    expect(seen).toEqual(expected);
  });

  it('gives the same when it asks for many tags at once', async () => {
    // The first few values are read for all runs at once, other values for each run.
    const others = Array.from({ length: 6 }, (_, i) => `NOT last("other ${i}") > 0`).join(' AND ');
    const condition = 'max("val/acc") > 0.9';
    const found = await names({ filter: condition, order_by: 'last("val/acc")' });
    expect(found).toEqual(['b/lr=0.1', 'd']);
    expect(await names({ filter: `${others} AND ${condition}`, order_by: 'last("val/acc")' })).toEqual(found);
    expect(await names({ filter: `${condition} AND ${others}`, order_by: 'last("val/acc"), min("val/acc")' })).toEqual(found);
  });

  it('adds the values of fields, and the number of runs that match the filter', async () => {
    const query = new URLSearchParams({ page_size: '2', total: 'true', filter: 'NOT name = "."', order_by: 'duration desc' });
    for (const value of ['duration', 'last("val/acc")', 'max("val/acc")', 'last_step("val/acc")', 'state("5")', 'hparam("lr")', 'name'])
      query.append('value', value);
    const { json } = await service.call(tenant, 'GET', `/api/v1/experiments/${id}/runs?${query.toString()}`);
    expect(json.total).toBe(4);
    expect(json.runs.map(({ values }: { values: unknown[] }) => values)).toEqual([
      [100, 0.95, 0.95, 20, 'finished', 0.1, 'b/lr=0.1'],
      [9.5, 0.5, 0.9, 10, 'failed', 0.01, 'a/lr=0.01'],
    ]);
    query.set('page_token', json.next_page_token);
    const { json: rest } = await service.call(tenant, 'GET', `/api/v1/experiments/${id}/runs?${query.toString()}`);
    expect(rest.total).toBeUndefined();
    expect(rest.runs.map(({ values }: { values: unknown[] }) => values)).toEqual([
      [null, 'NaN', null, 30, 'running', 1, 'c'],
      [null, 'Infinity', 'Infinity', null, 'running', '0.01', 'd'],
    ]);
    expect((await list()).json.runs[0]).not.toHaveProperty('values');
    for (const value of ['label', 'duration desc', 'last', 'nothing'])
      expect((await list({ value })).json).toMatchObject({
        code: 'invalid-filter',
        detail: expect.stringMatching(/^value cannot be read/),
      });
  });

  it('reports a silent run as stalled', async () => {
    const own = (await service.call(tenant, 'POST', '/api/v1/experiments', { body: {} })).json.id;
    const live = new StoredRuns(service, tenant, own);
    const now = Date.now() / 1000;
    await live.run('quiet', { lastTime: now - 20 * 60, hparams: { lr: 1 } });
    await live.run('fresh', { lastTime: now });
    const states = async (minutes: string) => {
      const query = new URLSearchParams({ value: `state("${minutes}")` });
      const { json } = await service.call(tenant, 'GET', `/api/v1/experiments/${own}/runs?${query.toString()}`);
      return json.runs.map(({ values }: { values: unknown[] }) => values[0]);
    };
    expect(await states('10')).toEqual(['running', 'stalled']);
    expect(await states('30')).toEqual(['running', 'running']);
  });

  it('includes the newest points of a live run, which are still in its tail', async () => {
    const own = (await service.call(tenant, 'POST', '/api/v1/experiments', { body: {} })).json.id;
    const live = new StoredRuns(service, tenant, own);
    for (const [name, last] of [
      ['live', 5],
      ['done', 7],
    ] as const) {
      const runId = await live.run(name);
      const seriesId = await live.series(runId, { tag: 'loss', points: 1, firstStep: '0', lastStep: '0', last, min: last, max: last });
      if (name === 'live') {
        const points = { steps: BigInt64Array.of(1n, 2n), wallTimes: Float64Array.of(1, 2), values: Float64Array.of(100, 9) };
        await live.tail(runId, [{ seriesId, fileId: fileIdOf('1'), firstOrdinal: 1, afterOffset: 0, points }]);
      }
    }
    const found = async (query: Record<string, string>) =>
      (await service.call(tenant, 'GET', `/api/v1/experiments/${own}/runs?${new URLSearchParams(query).toString()}`)).json.runs.map(
        ({ run }: { run: string }) => run,
      );
    expect(await found({ filter: 'last("loss") = 9' })).toEqual(['live']);
    expect(await found({ filter: 'max("loss") >= 100' })).toEqual(['live']);
    expect(await found({ filter: 'min("loss") < 6' })).toEqual(['live']);
    expect(await found({ order_by: 'last("loss") desc' })).toEqual(['live', 'done']);
    expect(await found({ filter: 'last_step("loss") = 2' })).toEqual(['live']);
    expect(await found({ filter: 'max_step("loss") = 1' })).toEqual(['live']);
    const { json } = await service.call(tenant, 'GET', `/api/v1/experiments/${own}/series`);
    expect(json.series[1]).toMatchObject({
      run: 'live',
      points: 3,
      first_step: 0,
      last_step: 2,
      min: 5,
      max: 100,
      last: 9,
      last_wall_time: 2,
    });
    expect((await service.call(tenant, 'GET', `/api/v1/experiments/${own}`)).json.points).toBe(4);
  });

  it('reports which runs are behind, since when, and why', async () => {
    expect((await list()).json.behind).toBeUndefined();
    const [idle, failing, held, taken] = ['idle', 'failing', 'held', 'taken'];
    const ids = new Map<string, string>();
    for (const name of [idle, failing, held, taken] as string[]) {
      const runId = await runs.run(name, { events: 0 });
      ids.set(name, runId);
      await service.sql('insert into run_work (tenant_id, run_id, experiment_id) values ($1, $2, $3)', [tenant.tenantId, runId, id]);
      await runs.file(runId, 'f', { bytes: 10, pending: true });
    }
    await service.sql(
      `update run_work set failures = 3, last_error = 'The store is full.', retry_at = '2100-01-01T00:00:00Z' where run_id = $1`,
      [ids.get('failing')],
    );
    await service.sql('update run_work set held_by = $2 where run_id = $1', [ids.get('held'), randomUUID()]);
    const common = { since: expect.any(String), bytes: 10, detail: null, failures: 0, next_try_at: null };
    const worker = new pg.Client({ connectionString: service.database.adminUrl });
    await worker.connect();
    try {
      await worker.query('begin');
      const taking = 'select from run_work where tenant_id = $1 and run_id = $2 for update';
      await worker.query(taking, [tenant.tenantId, ids.get('taken')]); // and then it hangs
      expect((await list({ page_size: '2' })).json.behind).toEqual([
        { run: 'idle', ...common, why: 'waiting' },
        { run: 'failing', ...common, why: 'failing', detail: 'The store is full.', failures: 3, next_try_at: '2100-01-01T00:00:00.000Z' },
        { run: 'held', ...common, why: 'deletion' },
        { run: 'taken', ...common, why: 'working' },
      ]);
    } finally {
      await worker.end();
    }
    await expect.poll(async () => (await list()).json.behind.at(-1).why).toBe('waiting');
  });
});
