import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExperimentId } from '#model';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

describeWith(['postgres'], 'deletions', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let id: ExperimentId;
  let path: string;
  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant();
    id = (await service.call(tenant, 'POST', '/api/v1/experiments', { body: { name: 'x' } })).json.id;
    path = `/api/v1/experiments/${id}`;
    const runs = new StoredRuns(service, tenant, id);
    for (const name of ['a', 'b', 'c']) {
      const run = await runs.run(name);
      await runs.series(run, { tag: 'loss', points: 7 });
      await runs.file(run, 'f', { bytes: 10, pending: true });
    }
  });
  afterAll(() => service?.close());

  const ask = (body: unknown, headers: Record<string, string> = {}, as = tenant) =>
    service.call(as, 'POST', `${path}/deletions`, { body, headers });

  it('of points are accepted, and describe their scope without names', async () => {
    const { status, json, headers } = await ask({ runs: ['a'], tags: ['loss', 'secret'], steps: { from: -5, to: '9223372036854775807' } });
    expect([status, headers.get('location')]).toEqual([202, `/api/v1/deletions/${json.id}`]);
    expect(json).toEqual({
      id: expect.any(String),
      url: `/api/v1/deletions/${json.id}`,
      kind: 'points',
      experiment: id,
      tags: 2,
      steps: { from: -5, to: '9223372036854775807' },
      state: 'waiting',
      requested: expect.any(String),
      requested_by: tenant.personId,
      finished: null,
      removed: { runs: 0, files: 0, series: 0, points: 0, objects: 0, bytes: 0 },
      rewritten: { files: 0, bytes: 0 },
      objects_left: 0,
    });
    expect((await service.call(tenant, 'GET', json.url)).json).toEqual(json);
    expect((await service.call(tenant, 'GET', `${path}/deletions`)).json.deletions[0]).toEqual(json);
  });

  it('preview what they would delete, of points, runs and the experiment, and delete nothing', async () => {
    const preview = async (body: object) => {
      const { status, json, headers } = await ask({ ...body, dry_run: true });
      expect([status, headers.get('location'), json.dry_run, json.exact]).toEqual([200, null, true, true]);
      return [json.would_remove, json.would_rewrite];
    };
    const none = { runs: 0, files: 0, series: 0, points: 0, bytes: 0 };
    const noFiles = { files: 0, bytes: 0 };
    expect(await preview({ tags: ['loss'] })).toEqual([{ ...none, series: 3, points: expect.any(Number) }, expect.any(Object)]);
    expect(await preview({ tags: ['nothing'], runs: ['a'] })).toEqual([none, noFiles]);
    expect(await preview({ runs: ['a'] })).toEqual([{ runs: 1, files: 1, series: expect.any(Number), points: 7, bytes: 10 }, noFiles]);
    expect(await preview({})).toEqual([{ runs: 3, files: 3, series: expect.any(Number), points: 21, bytes: 30 }, noFiles]);
    expect((await ask({ runs: ['nobody'], dry_run: true })).json.code).toBe('bad-request');
    const other = await service.tenant('Looks');
    expect((await ask({ dry_run: true }, {}, other)).json.code).toBe('experiment-not-found');
    expect((await service.call(tenant, 'GET', path)).json).toMatchObject({ runs: 3 });
    expect((await service.call(tenant, 'GET', `${path}/deletions`)).json.deletions).toHaveLength(1);
  });

  it('of runs hide them from every list at once', async () => {
    const before = (await service.call(tenant, 'GET', path)).json;
    expect((await ask({ runs: ['c'] })).json).toMatchObject({ kind: 'runs', tags: null, steps: null });
    const seen = async (rest: string, field: string) => (await service.call(tenant, 'GET', path + rest)).json[field];
    expect((await seen('/runs', 'runs')).map(({ run }: { run: string }) => run)).toEqual(['a', 'b']);
    expect((await seen('/series', 'series')).map(({ run }: { run: string }) => run)).toEqual(['a', 'b']);
    expect((await seen('/files', 'files')).map(({ run }: { run: string }) => run)).toEqual(['a', 'b']);
    expect((await service.call(tenant, 'GET', path)).json).toMatchObject({ runs: before.runs - 1, points: before.points - 7 });
    expect((await ask({ runs: ['c'] })).json.code).toBe('bad-request');
    expect(await service.sql('select from pending_segment p join run r using (tenant_id, run_id) where r.name = $1', ['c'])).toEqual([]);
  });

  it('are created once per Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const responses = await Promise.all([1, 2, 3].map(() => ask({ tags: ['loss'] }, headers)));
    expect(new Set(responses.map(({ json }) => json.id)).size).toBe(1);
    expect(responses.every((response) => response.status === 202 && response.headers.get('location') === response.json.url)).toBe(true);
  });

  it.each([
    [{}, 'bad-request'],
    [{ runs: [] }, 'bad-request'],
    [{ runs: ['nobody'] }, 'bad-request'],
    [{ steps: {} }, 'bad-request'],
    [{ steps: { from: 5, to: 4 } }, 'bad-request'],
    [{ steps: { to: '9223372036854775808' } }, 'bad-request'],
    [{ steps: { from: 1.5 } }, 'bad-request'],
    [{ tags: ['a\0'] }, 'bad-request'],
    [{ tag: 'a' }, 'unknown-field'],
  ])('are rejected as %j', async (body, code) => {
    expect((await ask(body)).json.code).toBe(code);
  });

  it('are hidden from and denied to others', async () => {
    const other = await service.tenant('Other');
    const { json } = await ask({ tags: ['loss'] });
    expect((await ask({ tags: ['loss'] }, {}, other)).json.code).toBe('experiment-not-found');
    expect((await service.call(other, 'GET', json.url)).json.code).toBe('deletion-not-found');
    expect((await service.call(other, 'GET', `${path}/deletions`)).json.code).toBe('experiment-not-found');
    expect((await service.call(tenant, 'GET', '/api/v1/deletions/1')).json.code).toBe('deletion-not-found');
  });

  it('of an experiment can be followed after it is gone', async () => {
    const made = (await service.call(tenant, 'POST', '/api/v1/experiments', { body: { name: 'y' } })).json.id;
    const gone = await service.call(tenant, 'DELETE', `/api/v1/experiments/${made}`);
    expect(gone.status).toBe(204);
    const followed = await service.call(tenant, 'GET', gone.headers.get('location')!);
    expect(followed.json).toMatchObject({ kind: 'experiment', experiment: made, state: 'waiting' });
    expect((await service.call(tenant, 'GET', `/api/v1/experiments/${made}/deletions`)).json.deletions).toEqual([followed.json]);
  });

  it('of originals are a setting of the workspace that owners change', async () => {
    const own = await service.tenant('Keeps');
    const workspace = { id: own.tenantId, name: 'Keeps', originals_days: null, audit_days: 365 };
    expect((await service.call(own, 'GET', '/api/v1/workspace')).json).toEqual(workspace);
    expect((await service.call(own, 'PATCH', '/api/v1/workspace', { body: { originals_days: 30 } })).json).toEqual({
      ...workspace,
      originals_days: 30,
    });
    for (const days of [0, -1, 1.5, 'ten', 100_000])
      expect((await service.call(own, 'PATCH', '/api/v1/workspace', { body: { originals_days: days } })).json.code).toBe('bad-request');
    await service.sql(`update workspace_member set role = 'admin' where tenant_id = $1`, [own.tenantId]);
    expect((await service.call(own, 'PATCH', '/api/v1/workspace', { body: { originals_days: null } })).json.code).toBe('forbidden');
    expect((await service.call(own, 'DELETE', '/api/v1/workspace', { body: { name: 'Keeps' } })).json.code).toBe('forbidden');
    expect((await service.call(own, 'GET', '/api/v1/workspace')).json.originals_days).toBe(30);
  });

  it('of a workspace lock out everyone except who requested it', async () => {
    const own = await service.tenant('Ends');
    const made = (await service.call(own, 'POST', '/api/v1/experiments', { body: { name: 'y' } })).json.id;
    expect((await service.call(own, 'DELETE', '/api/v1/workspace', { body: { name: 'ends' } })).json.code).toBe('bad-request');
    const { status, json } = await service.call(own, 'DELETE', '/api/v1/workspace', { body: { name: 'Ends' } });
    expect([status, json.kind]).toEqual([202, 'workspace']);
    expect((await service.call(own, 'GET', json.url)).json).toEqual(json);
    expect((await service.call(own, 'GET', `/api/v1/experiments/${made}`)).json.code).toBe('experiment-not-found');
    for (const [method, at] of [
      ['POST', '/api/v1/experiments'],
      ['GET', '/api/v1/workspace'],
      ['DELETE', '/api/v1/workspace'],
    ] as const) {
      const body = method === 'DELETE' ? { name: 'Ends' } : method === 'POST' ? {} : undefined;
      expect((await service.call(own, method, at, { body })).json.code).toBe('forbidden');
    }
  });
});
