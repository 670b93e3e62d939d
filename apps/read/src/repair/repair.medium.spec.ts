import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '#testing';
import { addMember } from '../testing/people.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

describeWith(['postgres'], 'a repair', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let path: string;
  const runIds = new Map<string, string>();

  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant();
    const runs = await StoredRuns.start(service, tenant);
    path = `/api/v1/experiments/${runs.experimentId}/repair`;
    for (const name of ['a', 'b', 'c']) {
      const runId = await runs.run(name);
      runIds.set(name, runId);
      await service.sql('insert into run_work (tenant_id, run_id, experiment_id) values ($1, $2, $3)', [
        tenant.tenantId,
        runId,
        runs.experimentId,
      ]);
    }
  });
  afterAll(() => service?.close());

  const ask = (body: unknown, as: TestTenant | null = tenant) => service.call(as, 'POST', path, { body });
  const waiting = async () => (await service.call(tenant, 'GET', path)).json.runs_waiting;
  const settle = (name: string) => service.sql('update run_work set remark = false where run_id = $1', [runIds.get(name)]);

  it('is requested for some runs or all, once, and returns how many wait', async () => {
    expect(await waiting()).toBe(0);
    const { status, json } = await ask({ runs: ['b', 'b'] });
    expect([status, json]).toEqual([202, { runs_waiting: 1 }]);
    expect((await ask({})).json).toEqual({ runs_waiting: 3 });
    expect((await ask({})).json).toEqual({ runs_waiting: 3 });
    await settle('a');
    expect(await waiting()).toBe(2);
    for (const name of ['b', 'c']) await settle(name);
    expect(await waiting()).toBe(0);
  });

  it('of an unknown run, or with an invalid body, is rejected and requests nothing', async () => {
    expect(await ask({ runs: ['a', 'absent'] })).toMatchObject({ status: 404, json: { code: 'not-found' } });
    expect(await ask({ runs: [] })).toMatchObject({ status: 400 });
    expect(await ask(null)).toMatchObject({ status: 400 });
    expect(await ask({ run: 'a' })).toMatchObject({ status: 400, json: { code: 'unknown-field' } });
    expect(await waiting()).toBe(0);
  });

  it('is for members of the workspace who may change the experiment', async () => {
    const viewer = await addMember(service, tenant, 'viewer');
    expect(await ask({}, viewer)).toMatchObject({ status: 403, json: { code: 'forbidden' } });
    expect(await service.call(viewer, 'GET', path)).toMatchObject({ status: 200 });
    const stranger = await service.tenant();
    for (const method of ['POST', 'GET'] as const)
      expect(await service.call(stranger, method, path, method === 'POST' ? { body: {} } : {})).toMatchObject({
        status: 404,
        json: { code: 'experiment-not-found' },
      });
    expect(await waiting()).toBe(0);
  });

  it('adds a line to the audit log, without names of runs', async () => {
    await ask({ runs: ['c'] });
    const lines = await service.sql(`select details from audit_entry where tenant_id = $1 and action = 'experiment.repair'`, [
      tenant.tenantId,
    ]);
    expect(lines.at(-1)).toEqual({ details: { runs: 1 } });
  });
});
