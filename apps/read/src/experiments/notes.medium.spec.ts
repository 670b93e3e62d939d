import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '#model';
import { describeWith } from '#testing';
import { addMember } from '../testing/people.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

describeWith(['postgres'], 'labels, notes and the archive flag', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let viewer: TestTenant;
  let id: string;

  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant();
    viewer = await addMember(service, tenant, 'viewer');
    const runs = await StoredRuns.start(service, tenant);
    id = runs.experimentId;
    for (const name of ['a', 'b', 'c']) await runs.run(name, {});
  });
  afterAll(() => service?.close());

  const path = () => `/api/v1/experiments/${id}`;
  const change = (body: unknown, as = tenant) => service.call(as, 'PATCH', path(), { body });
  const changeRuns = (body: unknown, as = tenant) => service.call(as, 'PATCH', `${path()}/runs`, { body });
  const runsOf = async (query = '', headers: Record<string, string> = {}) =>
    (await service.call(headers['plotline-share'] ? null : tenant, 'GET', `${path()}/runs${query}`, { headers })).json.runs;
  const listed = async (filter: string) =>
    (await service.call(tenant, 'GET', `/api/v1/experiments?filter=${encodeURIComponent(filter)}`)).json.experiments.map(
      (one: { id: string }) => one.id,
    );

  it('of an experiment are kept as written; lists have no notes, and can leave out archived ones', async () => {
    const notes = '# Seeds\n\n<b>3</b> diverges \u202e';
    const { status, json } = await change({ notes, labels: ['paper'], archived: true });
    expect([status, json.notes, json.labels, json.archived]).toEqual([200, notes, ['paper'], true]);
    expect((await service.call(tenant, 'GET', path())).json).toMatchObject({ notes, archived: true });
    const all = (await service.call(tenant, 'GET', '/api/v1/experiments')).json.experiments;
    expect(all.find((one: { id: string }) => one.id === id)).toMatchObject({ notes: null, archived: true });
    expect(await listed('archived = false')).not.toContain(id);
    expect(await listed('archived = true label = paper')).toEqual([id]);
    expect((await change({ archived: false })).json.archived).toBe(false);
    expect(await listed('archived = false')).toContain(id);
  });

  it('of runs are changed together, or not at all', async () => {
    expect((await changeRuns({ runs: ['a', 'b'], archived: true, labels: ['x', 'x', 'y'] })).status).toBe(204);
    expect((await changeRuns({ runs: ['a'], notes: '*mine*' })).status).toBe(204);
    expect(await runsOf()).toMatchObject([
      { run: 'a', labels: ['x', 'y'], notes: '*mine*', archived: true },
      { run: 'b', labels: ['x', 'y'], notes: '', archived: true },
      { run: 'c', labels: [], notes: '', archived: false },
    ]);
    const names = async (filter: string) => (await runsOf(`?filter=${encodeURIComponent(filter)}`)).map((one: { run: string }) => one.run);
    expect(await names('label = y')).toEqual(['a', 'b']);
    expect(await names('archived = false')).toEqual(['c']);
    const rejected = await changeRuns({ runs: ['c', 'none'], archived: true });
    expect([rejected.status, rejected.json.detail]).toEqual([400, 'This experiment has no such run: "none". Nothing was changed.']);
    expect(await names('archived = false')).toEqual(['c']);
    expect((await changeRuns({ runs: ['a', 'b'], archived: false, labels: [] })).status).toBe(204);
    expect(await names('archived = true OR label = x')).toEqual([]);
  });

  it.each([
    [{ runs: [] }, 'bad-request'],
    [{ runs: ['a'], labels: [''] }, 'invalid-name'],
    [{ runs: ['a'], notes: 'n'.repeat(limits.maxRunNotesCharacters + 1) }, 'name-too-long'],
    [{ runs: ['a'], notes: 'a\0b' }, 'invalid-name'],
    [{ runs: ['a'], archived: 'yes' }, 'bad-request'],
    [{ archived: true }, 'bad-request'],
    [{ runs: ['a'], archived_at: null }, 'unknown-field'],
  ])('validates the body %#', async (body, code) => expect((await changeRuns(body)).json.code).toBe(code));

  it('are changed by members, and read by viewers; visitors see no notes', async () => {
    await change({ notes: 'secret thoughts' });
    await changeRuns({ runs: ['a'], notes: 'secret thoughts' });
    for (const response of [await change({ notes: '' }, viewer), await changeRuns({ runs: ['a'], notes: '' }, viewer)])
      expect([response.status, response.json.code]).toEqual([403, 'forbidden']);
    expect((await service.call(viewer, 'GET', path())).json.notes).toBe('secret thoughts');
    const { url } = (await service.call(tenant, 'POST', `${path()}/share-links`, { body: {} })).json;
    const headers = { 'plotline-share': String(url).split('/').at(-1)! };
    const seen = await service.call(null, 'GET', path(), { headers });
    expect([seen.status, seen.json.notes]).toEqual([200, null]);
    expect((await runsOf('', headers))[0]).toMatchObject({ run: 'a', notes: null });
    for (const place of [path(), `${path()}/runs`, `/e/${id}`])
      expect((await service.call(null, 'GET', place, { headers })).text).not.toContain('secret thoughts');
  });

  it('are in the audit log without their text, and in snapshots', async () => {
    await changeRuns({ runs: ['b'], labels: ['kept'], archived: true });
    const { entries } = (await service.call(tenant, 'GET', '/api/v1/audit?action=runs.update')).json;
    expect(entries[0]).toMatchObject({ experiment: id, details: { changed: ['labels', 'archived'], runs: 1, archived: true } });
    expect(JSON.stringify(entries)).not.toMatch(/kept|secret/);
    const copy = (await service.call(tenant, 'POST', `${path()}/snapshots`, { body: {} })).json;
    expect(copy.notes).toBe('secret thoughts');
    const { runs } = (await service.call(tenant, 'GET', `/api/v1/experiments/${copy.id}/runs`)).json;
    expect(runs[1]).toMatchObject({ run: 'b', labels: ['kept'], archived: true });
    const rejected = await service.call(tenant, 'PATCH', `/api/v1/experiments/${copy.id}/runs`, { body: { runs: ['b'], notes: 'x' } });
    expect([rejected.status, rejected.json.code]).toEqual([409, 'experiment-frozen']);
  });
});
