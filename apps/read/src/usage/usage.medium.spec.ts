import { get as httpGet } from 'node:http';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '#auth';
import { type LimitsChange, Operator, writeWorkspaceLimits } from '#store';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

describeWith(['postgres'], 'usage and limits of a workspace', () => {
  let service: ReadService;
  let operator: Operator;
  beforeAll(async () => {
    service = await startReadService();
    operator = new Operator(service.database.migratorUrl);
  });
  afterAll(async () => {
    await operator?.close();
    await service?.close();
  });

  const set = async ({ tenantId }: TestTenant, change: Omit<LimitsChange, 'by'>): Promise<void> => {
    expect(await operator.run((_, inTenant) => writeWorkspaceLimits(inTenant(tenantId), { ...change, by: 'test' }))).toBe(true);
  };
  const workspace = async (change: Omit<LimitsChange, 'by'>): Promise<TestTenant> => {
    const tenant = await service.tenant();
    await set(tenant, change);
    return tenant;
  };
  const usage = async (tenant: TestTenant) => (await service.call(tenant, 'GET', '/api/v1/usage')).json;
  const make = (tenant: TestTenant, headers = {}) => service.call(tenant, 'POST', '/api/v1/experiments', { body: {}, headers });
  const until = async (what: () => Promise<boolean>): Promise<void> => {
    await expect.poll(what, { timeout: 5_000, interval: 50 }).toBe(true);
  };

  it('reports what is used of each quota, and warns from 80 %', async () => {
    const tenant = await workspace({ quotas: { experiments: 5, points: 1_000, series: 10, bytes: 0, requests_per_minute: 600 } });
    const { id } = (await make(tenant)).json;
    const runs = new StoredRuns(service, tenant, id);
    await runs.run('a', {});
    await service.sql('update run_state set points = 800, series = 7, value_bytes = 30 where tenant_id = $1', [tenant.tenantId]);
    await service.sql('update experiment_epoch set stored_bytes = 12 where tenant_id = $1', [tenant.tenantId]);
    const current = await usage(tenant);
    expect(current).toEqual({
      quotas: {
        points: { used: 800, limit: 1_000, state: 'warning' },
        bytes: { used: 42, limit: 0, state: 'exceeded' },
        experiments: { used: 1, limit: 5, state: 'ok' },
        series: { used: 7, limit: 10, state: 'ok' },
        files: { used: expect.any(Number), limit: 10_000_000, state: 'ok' },
        pending_bytes: { used: 0, limit: expect.any(Number), state: 'ok' },
        requests_per_minute: { used: expect.any(Number), limit: 600, state: 'ok' },
      },
      bytes: { originals: 12, values: 30, exports: 0, being_deleted: 0 },
      suspension: null,
    });
    const page = await service.call(tenant, 'GET', '/usage');
    expect(page.status).toBe(200);
    expect(page.text).toContain('80 %');
    const home = await service.call(tenant, 'GET', '/');
    for (const text of [page.text, home.text])
      expect(text.replaceAll(/\s+/g, ' ')).toMatch(/80 % of this workspace&#(39|x27);s 1,000 points are used/);
    expect((await service.call(await service.tenant(), 'GET', '/')).text).not.toContain('points are used');
  });

  it('reveals nothing of another workspace', async () => {
    const [mine, theirs] = [await service.tenant(), await service.tenant()];
    await make(theirs);
    expect((await usage(mine)).quotas.experiments.used).toBe(0);
    expect((await service.call(null, 'GET', '/api/v1/usage')).status).toBe(401);
    const { token } = (
      await service.call(theirs, 'POST', '/api/v1/tokens', { body: { name: 'one', experiments: [(await make(theirs)).json.id] } })
    ).json;
    expect((await service.call({ ...theirs, token }, 'GET', '/api/v1/usage')).status).toBe(403);
  });

  it('bounds concurrent creation of experiments exactly, and repeats the response of a repeated request', async () => {
    const tenant = await workspace({ quotas: { experiments: 5 } });
    const first = await make(tenant, { 'idempotency-key': 'the-first' });
    const responses = await Promise.all(Array.from({ length: 20 }, () => make(tenant)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(4);
    for (const { status, json } of responses)
      if (status !== 201) expect(json).toMatchObject({ code: 'quota-exceeded', status: 403, quota: 'experiments', limit: 5, used: 5 });
    expect((await make(tenant, { 'idempotency-key': 'the-first' })).json.id).toBe(first.json.id);
    expect((await usage(tenant)).quotas.experiments).toEqual({ used: 5, limit: 5, state: 'exceeded' });
    // Data being deleted counts until it is removed: alternately deleting and uploading does not
    // evade the quota.
    await service.call(tenant, 'DELETE', `/api/v1/experiments/${first.json.id}`);
    expect((await make(tenant)).status).toBe(403);
    await service.sql('delete from experiment where experiment_id = $1', [first.json.id]);
    expect((await make(tenant)).status).toBe(201);
  });

  describe('requests', () => {
    it('beyond the quota get 429 with Retry-After; all tokens of the workspace count together, and others are unaffected', async () => {
      const [loud, quiet] = [
        await workspace({ quotas: { requests_per_minute: 30 } }),
        await workspace({ quotas: { requests_per_minute: 30 } }),
      ];
      const tokens = await Promise.all(Array.from({ length: 10 }, (_, i) => createToken(service.store, { ...loud, name: `token ${i}` })));
      const flood = await Promise.all(
        Array.from({ length: 200 }, (_, i) => service.call({ ...loud, token: tokens[i % 10]! }, 'GET', '/api/v1/whoami')),
      );
      const served = flood.filter(({ status }) => status === 200);
      expect(served.length).toBeGreaterThanOrEqual(30);
      expect(served.length).toBeLessThan(60);
      for (const { status, json, headers } of flood.filter((response) => response.status !== 200)) {
        expect([status, json.code, json.quota, json.limit]).toEqual([429, 'rate-limited', 'requests_per_minute', 30]);
        expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        expect(headers.get('ratelimit')).toMatch(/"requests";r=0;t=\d+/);
      }
      for (let i = 0; i < 30; i++) expect((await service.call(quiet, 'GET', '/api/v1/whoami')).status).toBe(200);
    });

    it('report their quota in each response', async () => {
      const tenant = await workspace({ quotas: { requests_per_minute: 100 } });
      const { headers } = await service.call(tenant, 'GET', '/api/v1/whoami');
      expect(headers.get('ratelimit-policy')).toBe('"requests";q=100;w=60');
      expect(headers.get('ratelimit')).toMatch(/^"requests";r=9\d$/);
    });

    it('of visitors are counted separately, so that members and uploads are unaffected', async () => {
      const tenant = await workspace({ quotas: { requests_per_minute: 20 } });
      const { id } = (await make(tenant)).json;
      await service.call(tenant, 'PATCH', `/api/v1/experiments/${id}`, { body: { visibility: 'public' } });
      const visit = () => service.call(null, 'GET', `/api/v1/experiments/${id}`);
      const visits = await Promise.all(Array.from({ length: 100 }, visit));
      const rejected = visits.filter(({ status }) => status !== 200);
      expect(visits.length - rejected.length).toBeGreaterThanOrEqual(20);
      expect(rejected.length).toBeGreaterThan(0);
      for (const { status, json } of rejected) expect([status, json.code, json.limit]).toEqual([429, 'rate-limited', 20]);
      for (let n = 0; n < 10; n++) expect((await service.call(tenant, 'GET', '/api/v1/whoami')).status).toBe(200);
    });

    it('without valid credentials use up no quota', async () => {
      const tenant = await workspace({ quotas: { requests_per_minute: 5 } });
      for (let i = 0; i < 20; i++) {
        expect((await service.call(null, 'GET', '/api/v1/whoami')).status).toBe(401);
        expect((await service.call({ ...tenant, token: `plt_${'x'.repeat(36)}` }, 'GET', '/api/v1/whoami')).status).toBe(401);
      }
      expect((await service.call(tenant, 'GET', '/api/v1/whoami')).status).toBe(200);
    });
  });

  describe('suspension', () => {
    it('allows only reading in read-only mode and nothing when closed, states why, and affects only this workspace', async () => {
      const [tenant, other] = [await service.tenant(), await service.tenant()];
      const { id } = (await make(tenant)).json;
      const read = (who = tenant) => service.call(who, 'GET', '/api/v1/experiments');
      const write = () => service.call(tenant, 'PATCH', `/api/v1/experiments/${id}`, { body: { name: 'x' } });
      await set(tenant, { suspension: { mode: 'read-only', reason: '<b>Unpaid</b> since March.' } });
      await until(async () => (await write()).status === 403);
      expect((await write()).json).toMatchObject({ code: 'workspace-suspended', mode: 'read-only', reason: '<b>Unpaid</b> since March.' });
      for (const [method, path] of [
        ['POST', '/api/v1/experiments'],
        ['DELETE', `/api/v1/experiments/${id}`],
        ['POST', '/api/v1/tokens'],
        ['PATCH', '/api/v1/workspace'],
      ] as const)
        expect((await service.call(tenant, method, path, { body: {} })).json.code).toBe('workspace-suspended');
      expect((await read()).status).toBe(200);
      expect((await usage(tenant)).suspension).toMatchObject({ mode: 'read-only', reason: '<b>Unpaid</b> since March.' });
      expect((await service.call(tenant, 'GET', '/usage')).text).toContain('&lt;b&gt;Unpaid&lt;/b&gt; since March.');

      await set(tenant, { suspension: { mode: 'closed', reason: 'Abuse.' } });
      await until(async () => (await read()).status === 403);
      expect((await read()).json).toMatchObject({ code: 'workspace-suspended', mode: 'closed', reason: 'Abuse.' });
      const page = await service.call(tenant, 'GET', '/');
      expect([page.status, page.text]).toEqual([403, expect.stringContaining('Abuse.')]);
      expect((await read(other)).status).toBe(200);
      const foreign = await service.call(other, 'GET', `/api/v1/experiments/${id}`);
      expect([foreign.status, foreign.text.includes('Abuse')]).toEqual([404, false]);
      expect((await service.call(null, 'GET', `/e/${id}`)).text).not.toContain('Abuse');

      await set(tenant, { suspension: null });
      await until(async () => (await write()).status === 200);
    });

    it('ends open streams and waits', async () => {
      const tenant = await service.tenant();
      const { id } = (await make(tenant)).json;
      const runs = new StoredRuns(service, tenant, id);
      await runs.file(await runs.run('r'), 'f1', { bytes: 100, pending: true });
      const streamed = Promise.withResolvers<string>();
      const opened = Promise.withResolvers<void>();
      httpGet(`${service.base}/api/v1/experiments/${id}/events`, { headers: { authorization: `Bearer ${tenant.token}` } }, (response) => {
        let text = '';
        response.on('data', (piece: Buffer) => {
          text += piece.toString();
          opened.resolve();
        });
        response.on('end', () => streamed.resolve(text)).on('error', streamed.reject);
      }).on('error', streamed.reject);
      await opened.promise;
      const waiting = service.call(tenant, 'GET', `/api/v1/experiments/${id}/frontier?wait_for=1&timeout=60`);
      await set(tenant, { suspension: { mode: 'closed', reason: 'Abuse.' } });
      expect(await streamed.promise).toContain('frontier');
      await runs.settle(); // what the other one waits for
      await runs.publish();
      expect((await waiting).json).toMatchObject({ status: 403, code: 'workspace-suspended' });
    });
  });

  it('the service itself cannot change quotas, suspension or the record of their changes', async () => {
    const tenant = await workspace({ quotas: { points: 5 }, note: 'a trial' });
    for (const change of [
      'update workspace_limits set points = 1000000',
      'delete from workspace_limits',
      "insert into workspace_limits_change (tenant_id, change_id, changed_by, before, after) values ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'me', '{}', '{}')",
      'delete from workspace_limits_change',
    ])
      await expect(service.store.withTenant(tenant.tenantId, ({ trx }) => sql.raw(change).execute(trx))).rejects.toThrow(
        'permission denied',
      );
    const [row] = await service.sql('select changed_by, before, after, note from workspace_limits_change where tenant_id = $1', [
      tenant.tenantId,
    ]);
    expect(row).toEqual({ changed_by: 'test', before: {}, after: { points: 5 }, note: 'a trial' });
  });
});
