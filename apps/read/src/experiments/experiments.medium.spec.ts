import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToken } from '#auth';
import type { ExperimentId } from '#model';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

describeWith(['postgres'], 'experiments', () => {
  let service: ReadService;
  let tenant: TestTenant;
  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant();
  });
  afterAll(() => service?.close());

  const make = async (body: unknown = {}, as = tenant) => (await service.call(as, 'POST', '/api/v1/experiments', { body })).json;

  it('creates an experiment with a random id and a URL', async () => {
    const { status, json } = await service.call(tenant, 'POST', '/api/v1/experiments', {
      body: { name: 'a', description: 'b\nc', labels: ['x', 'x', 'y'] },
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      name: 'a',
      description: 'b\nc',
      labels: ['x', 'y'],
      owner: { name: 'Ada' },
      workspace: tenant.tenantId,
      visibility: 'private',
      runs: 0,
      points: 0,
      bytes: 0,
      frontier: { epoch: 0, visible: true },
    });
    expect(json.id).toMatch(/^[A-Za-z0-9]{22}$/);
    expect(json.url).toBe(`http://plots.example/e/${json.id}`);
    expect(new Date(json.created).getTime()).toBeGreaterThan(0);
    const [route] = await service.sql('select tenant_id from experiment_route where experiment_id = $1', [json.id]);
    expect(route!.tenant_id).toBe(tenant.tenantId);
    expect((await service.call(tenant, 'GET', `/api/v1/experiments/${json.id}`)).json).toEqual(json);
  });

  it('accepts a missing body, and the current workspace by name', async () => {
    expect((await service.call(tenant, 'POST', '/api/v1/experiments')).status).toBe(201);
    expect((await make({ workspace: tenant.tenantId })).name).toBe('');
    const other = await service.tenant('Other');
    expect((await service.call(tenant, 'POST', '/api/v1/experiments', { body: { workspace: other.tenantId } })).json.code).toBe(
      'forbidden',
    );
  });

  it('creates one experiment per Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const responses = await Promise.all(
      [1, 2, 3].map(() => service.call(tenant, 'POST', '/api/v1/experiments', { headers, body: { name: 'once' } })),
    );
    expect(new Set(responses.map(({ json }) => json.id)).size).toBe(1);
    expect(await service.sql(`select count(*)::int as n from experiment where name = 'once'`)).toEqual([{ n: 1 }]);
  });

  it.each([
    [{ name: 'n'.repeat(100), description: 'd'.repeat(600) }, 201, undefined],
    [{ name: '😀'.repeat(100) }, 201, undefined],
    [{ name: 'n'.repeat(101) }, 400, 'name-too-long'],
    [{ description: 'd'.repeat(601) }, 400, 'name-too-long'],
    [{ name: 'a\0b' }, 400, 'invalid-name'],
    [{ name: 1 }, 400, 'bad-request'],
    [{ name: null }, 400, 'bad-request'],
    [{ labels: [''] }, 400, 'invalid-name'],
    [{ labels: Array.from({ length: 65 }, (_, i) => `l${i}`) }, 400, 'bad-request'],
    [[], 400, 'bad-request'],
    ['"text"', 400, 'bad-request'],
  ])('validates the body %#', async (body, status, code) => {
    const response = await service.call(tenant, 'POST', '/api/v1/experiments', { body });
    expect([response.status, response.json.code]).toEqual([status, code]);
  });

  it('rejects a name with half of a surrogate pair, and keeps any other text unchanged', async () => {
    expect((await service.call(tenant, 'POST', '/api/v1/experiments', { body: '{"name":"\\ud800"}' })).json.code).toBe('invalid-name');
    for (const name of [
      '../../etc',
      '%2e%2e',
      'a\\b',
      'C:\\x',
      '#?&',
      'e\u0301',
      '\u00e9',
      '\u202eabc',
      'a\r\nb',
      '<b>',
      `'; drop table run; --`,
    ])
      expect((await make({ name })).name).toBe(name);
  });

  it('rejects every column of the database as a field, in every body', async () => {
    const columns = await service.sql(`select distinct column_name from information_schema.columns where table_schema = 'public'`);
    const known = new Set(['name', 'description', 'labels', 'workspace', 'notes']);
    const { id } = await make({ name: 'mine' });
    for (const column of columns.map(({ column_name: name }) => String(name))) {
      if (known.has(column)) continue;
      for (const [method, path] of [
        ['POST', '/api/v1/experiments'],
        ['PATCH', `/api/v1/experiments/${id}`],
      ] as const) {
        const { status, json } = await service.call(tenant, method, path, { body: { name: 'x', [column]: 'owner' } });
        // Visibility can be changed, to one of two values.
        const code = column === 'visibility' && method === 'PATCH' ? 'bad-request' : 'unknown-field';
        expect([column, status, json.code]).toEqual([column, 400, code]);
      }
    }
    expect((await service.call(tenant, 'GET', `/api/v1/experiments/${id}`)).json.name).toBe('mine');
  });

  it('changes the given fields and nothing else', async () => {
    const before = await make({ name: 'old', description: 'kept', labels: ['kept'] });
    const path = `/api/v1/experiments/${before.id}`;
    const after = (await service.call(tenant, 'PATCH', path, { body: { name: 'new' } })).json;
    expect(after).toEqual({ ...before, name: 'new', updated: after.updated });
    expect(after.updated >= before.updated).toBe(true);
    expect((await service.call(tenant, 'PATCH', path, { body: {} })).json).toEqual(after);
    expect((await service.call(tenant, 'PATCH', path, { body: { description: '', labels: [] } })).json).toMatchObject({
      description: '',
      labels: [],
    });
  });

  it('deletes: afterwards the experiment is as unknown as one that never existed', async () => {
    const { id } = await make({ name: 'doomed' });
    const runs = new StoredRuns(service, tenant, id);
    const run = await runs.run('r');
    await runs.file(run, 'f', { bytes: 10, pending: true });
    const path = `/api/v1/experiments/${id}`;
    const gone = await service.call(tenant, 'DELETE', path);
    expect([gone.status, gone.text]).toEqual([204, '']);
    for (const [method, rest] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/runs'],
      ['GET', '/series'],
      ['GET', '/frontier'],
      ['GET', '/receipt'],
      ['GET', '/files'],
      ['GET', '/problems'],
      ['GET', '/events'],
    ] as const) {
      const response = await service.call(tenant, method, path + rest, method === 'PATCH' ? { body: {} } : {});
      expect([method, rest, response.status, response.json.code]).toEqual([method, rest, 404, 'experiment-not-found']);
    }
    expect((await service.call(tenant, 'GET', '/api/v1/experiments?filter=name="doomed"')).json.experiments).toEqual([]);
    expect(await service.sql('select from pending_segment where experiment_id = $1', [id])).toEqual([]);
  });

  it('counts runs, points and bytes, and reports how much is visible', async () => {
    const { id } = await make({ name: 'counted' });
    const runs = new StoredRuns(service, tenant, id);
    const a = await runs.run('a');
    await runs.run('empty', { events: 0 });
    await runs.series(a, { tag: 'loss', points: 7, superseded: 3 });
    await runs.series(a, { tag: 'hist', dataClass: 'tensor', points: 2 });
    await runs.file(a, 'f1', { bytes: 100 });
    await runs.file(a, 'f2', { bytes: 50, pending: true });
    await runs.file(a, 'f3', { bytes: 5 });
    const { json } = await service.call(tenant, 'GET', `/api/v1/experiments/${id}`);
    expect(json).toMatchObject({
      runs: 1,
      points: 10,
      tensors: 2,
      blob_sequences: 0,
      bytes: 155,
      frontier: { epoch: 1, acknowledged_epoch: 3, visible: false },
    });
    const { json: list } = await service.call(tenant, 'GET', '/api/v1/experiments?filter=counted');
    expect(list.experiments).toEqual([{ ...json, notes: null }]);
  });

  it('lists newest first, page by page, each once', async () => {
    const own = await service.tenant('Pages');
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.unshift((await make({ name: `e${i}` }, own)).id);
    const seen: string[] = [];
    let token = '';
    do {
      const { json } = await service.call(own, 'GET', `/api/v1/experiments?page_size=3${token && `&page_token=${token}`}`);
      seen.push(...json.experiments.map(({ id }: { id: string }) => id));
      token = json.next_page_token ?? '';
    } while (token);
    expect(seen).toEqual(ids);
    // Page tokens do not reveal data that a token has no access to.
    const tokens = await Promise.all(
      [ids.slice(0, 3), ids.slice(3)].map(async (experiments) => ({
        ...own,
        token: await createToken(service.store, { ...own, name: 'some', experiments }),
      })),
    );
    const start = (await service.call(tokens[0]!, 'GET', '/api/v1/experiments?page_size=2')).json;
    expect(start.experiments).toHaveLength(2);
    const [here, there] = await Promise.all(
      tokens.map((one) => service.call(one, 'GET', `/api/v1/experiments?page_size=2&page_token=${start.next_page_token}`)),
    );
    expect([here!.json.experiments.length, there!.status, there!.json.code]).toEqual([1, 400, 'invalid-page-token']);
    const huge = await service.call(own, 'GET', '/api/v1/experiments?page_size=999999');
    expect([huge.status, huge.json.experiments.length, huge.json.next_page_token]).toEqual([200, 7, undefined]);
    expect((await service.call(own, 'GET', '/api/v1/experiments?page_size=0')).json.code).toBe('bad-request');
    const { json } = await service.call(own, 'GET', '/api/v1/experiments?page_size=3');
    expect((await service.call(own, 'GET', `/api/v1/experiments?page_size=3&filter=e1&page_token=${json.next_page_token}`)).json.code).toBe(
      'invalid-page-token',
    );
    expect((await service.call(tenant, 'GET', `/api/v1/experiments?page_size=3&page_token=${json.next_page_token}`)).json.code).toBe(
      'invalid-page-token',
    );
  });

  it('reports when data last arrived, unaffected by other changes, and orders by it', async () => {
    const own = await service.tenant('Received');
    const [quiet, first, second] = [
      await make({ name: 'quiet' }, own),
      await make({ name: 'first' }, own),
      await make({ name: 'second' }, own),
    ];
    const read = async ({ id }: { id: string }) => (await service.call(own, 'GET', `/api/v1/experiments/${id}`)).json;
    const receive = async ({ id }: { id: ExperimentId }, name: string) => {
      const runs = new StoredRuns(service, own, id);
      await runs.file(await runs.run(name), 'f', { bytes: 10 });
    };
    expect(first.received).toBeNull();
    await receive(first, 'a');
    const { received } = await read(first);
    expect(Date.parse(received)).toBeGreaterThanOrEqual(Date.parse(first.created));
    await service.call(own, 'PATCH', `/api/v1/experiments/${first.id}`, { body: { name: 'renamed', labels: ['x'] } });
    expect((await read(first)).received).toBe(received);
    await receive(second, 'a');
    await receive(first, 'b');
    const last = (await read(first)).received;
    expect(last > received).toBe(true);
    expect((await read(quiet)).received).toBeNull();

    const listed = async (query: string) => {
      const names: string[] = [];
      for (let token = ''; ;) {
        const { json } = await service.call(own, 'GET', `/api/v1/experiments?page_size=1&${query}${token && `&page_token=${token}`}`);
        names.push(...json.experiments.map(({ name }: { name: string }) => name));
        if (!json.next_page_token) return names;
        token = json.next_page_token;
      }
    };
    expect(await listed('order_by=received%20desc')).toEqual(['renamed', 'second', 'quiet']);
    expect(await listed('order_by=received')).toEqual(['second', 'renamed', 'quiet']);
    expect(await listed(`filter=${encodeURIComponent(`received >= "${last}"`)}`)).toEqual(['renamed']);
  });

  it('filters by name, label and time, and orders by name', async () => {
    const own = await service.tenant('Filters');
    await make({ name: 'ResNet 50', labels: ['baseline'] }, own);
    await make({ name: 'resnet 101' }, own);
    await make({ name: 'vit', labels: ['big', 'baseline'] }, own);
    const names = async (query: string) =>
      (await service.call(own, 'GET', `/api/v1/experiments?order_by=name&${query}`)).json.experiments.map(
        ({ name }: { name: string }) => name,
      );
    const filtered = (filter: string) => names(`filter=${encodeURIComponent(filter)}`);
    expect(await filtered('resnet')).toEqual(['ResNet 50', 'resnet 101']);
    expect(await filtered('label = baseline')).toEqual(['ResNet 50', 'vit']);
    expect(await filtered('label != baseline')).toEqual(['resnet 101']);
    expect(await filtered('label:b AND NOT name ~ "^R"')).toEqual(['vit']);
    expect(await filtered('name ~ "^(?:vit|resnet \\d{3})$"')).toEqual(['resnet 101', 'vit']);
    expect(await filtered('owner = Ada created > "2001-01-01"')).toHaveLength(3);
    expect(await filtered('created < 0')).toEqual([]);
    expect(await names('filter=&order_by=name%20desc').catch(() => 'refused')).toBe('refused'); // given twice
    expect((await service.call(own, 'GET', '/api/v1/experiments?order_by=size')).json.code).toBe('invalid-filter');
    expect((await service.call(own, 'GET', '/api/v1/experiments?filter=name=')).json.code).toBe('invalid-filter');
    expect((await service.call(own, 'GET', '/api/v1/experiments?fliter=x')).json).toMatchObject({
      code: 'unknown-field',
      fields: ['fliter'],
    });
  });

  it('answers hostile regular expressions without hanging or an internal error', async () => {
    const own = await service.tenant('Regex');
    for (let i = 0; i < 5; i++) await make({ name: 'a'.repeat(99) + i }, own);
    const patterns = [
      '(a+)+$',
      '(a|a)*b',
      '(a*)*b',
      '(.*)*x',
      '(a|aa)+$',
      '([a-z]+)*!',
      '(a{1,10}){1,10}b',
      '((a?){20})a{20}',
      '(x+x+)+y',
      '.*.*.*.*.*=',
      '[z-a]',
      'a{1,255}b',
      '(a|b)*a(a|b){100}',
      '\\d+(\\d+)*z',
      '(?i)(A+)+b',
      '[[:alpha:]]',
      '[[=a=]]',
      '[[.hyphen.]]',
    ];
    for (const pattern of patterns) {
      const { status, json } = await service.call(
        own,
        'GET',
        `/api/v1/experiments?filter=${encodeURIComponent(`name ~ ${JSON.stringify(pattern)}`)}`,
      );
      expect([pattern, status === 200 || json.code === 'invalid-filter']).toEqual([pattern, true]);
    }
  });
});
