import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '#model';
import { describeWith } from '#testing';
import { addMember } from '../testing/people.ts';
import { type Loose, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

describeWith(['postgres'], 'saved views', () => {
  let service: ReadService;
  let ada: TestTenant;
  let grace: TestTenant;
  let viewer: TestTenant;
  let id: string;

  beforeAll(async () => {
    service = await startReadService();
    ada = await service.tenant();
    grace = await addMember(service, ada, 'member', 'Grace');
    viewer = await addMember(service, ada, 'viewer', 'Vera');
    const runs = await StoredRuns.start(service, ada);
    id = runs.experimentId;
    await runs.run('a', {});
  });
  afterAll(() => service?.close());

  const path = () => `/api/v1/experiments/${id}`;
  const save = (body: object, as = ada) => service.call(as, 'POST', `${path()}/views`, { body: { view: 'smoothing=0.9', ...body } });
  const change = (viewId: string, body: object, as = ada) => service.call(as, 'PATCH', `/api/v1/views/${viewId}`, { body });
  const remove = (viewId: string, as = ada) => service.call(as, 'DELETE', `/api/v1/views/${viewId}`);
  const names = async (as = ada): Promise<string[]> =>
    (await service.call(as, 'GET', `${path()}/views`)).json.views.map((one: Loose) => one.name);
  const open = async (as: TestTenant, query = '') =>
    service.raw('GET', `/e/${id}${query}`, { host: 'plots.example', authorization: `Bearer ${as.token}`, accept: 'text/html' });
  const clear = () => service.sql('delete from saved_view');

  it('are private, or shared and editable by every member who may change the experiment', async () => {
    const mine = (await save({ name: ' Mine ' })).json;
    expect(mine).toMatchObject({ name: 'Mine', view: 'smoothing=0.9', shared: false, default: false, experiment: id });
    const ours = (await save({ name: 'Ours', shared: true })).json;
    expect(ours.owner).toMatchObject({ id: ada.personId });
    expect(await names()).toEqual(['Mine', 'Ours']);
    expect(await names(grace)).toEqual(['Ours']);
    expect(await names(viewer)).toEqual(['Ours']);
    expect((await change(ours.id, { name: 'All of us' }, grace)).json.name).toBe('All of us');
    for (const response of [await change(mine.id, { name: 'x' }, grace), await remove(mine.id, grace), await remove('x'), await remove(id)])
      expect([response.status, response.json.code]).toEqual([404, 'saved-view-not-found']);
    for (const response of [await save({ name: 'x' }, viewer), await change(ours.id, { name: 'x' }, viewer), await remove(ours.id, viewer)])
      expect([response.status, response.json.code]).toEqual([403, 'forbidden']);
    expect((await change(ours.id, { shared: false }, grace)).status).toBe(400); // it would vanish for its owner's workspace
    expect((await change(ours.id, { shared: false })).json.shared).toBe(false);
    expect(await names(grace)).toEqual([]);
    expect((await remove(mine.id)).status).toBe(204);
    expect(await names()).toEqual(['All of us']);
    await clear();
  });

  it('are stored as the page writes them, and bounded', async () => {
    const hostile = 'runFilter=%00%0D%0ASet-Cookie:x&embed=true&tab=nothing&unknown=1&smoothing=0.5';
    expect((await save({ name: 'odd', view: hostile })).json.view).toBe('smoothing=0.5&runFilter=%00%0D%0ASet-Cookie%3Ax');
    for (const body of [
      { name: ' ' },
      { name: 'a\0' },
      { name: 'x'.repeat(101) },
      { name: 'x', view: `runFilter=${'x'.repeat(8_200)}` },
      { name: 'x', view: '0'.repeat(8_193) },
    ])
      expect([JSON.stringify(body).slice(0, 30), (await save(body)).status]).toEqual([JSON.stringify(body).slice(0, 30), 400]);
    await clear();
    const fill = `insert into saved_view (tenant_id, view_id, experiment_id, owner_id, name, parameters, shared)
      select $1, gen_random_uuid(), $2, $3, 'n', '', $4 from generate_series(1, $5)`;
    await service.sql(fill, [ada.tenantId, id, ada.personId, false, limits.maxSavedViews]);
    const responses = await Promise.all([save({ name: 'x' }), save({ name: 'x', shared: true }), save({ name: 'x' }, grace)]);
    expect(responses.map(({ status, json }) => json.code ?? status)).toEqual(['quota-exceeded', 201, 201]);
    await clear();
    await service.sql(fill, [ada.tenantId, id, ada.personId, true, limits.maxSavedViews - 1]);
    const raced = await Promise.all([1, 2, 3].map(() => save({ name: 'x', shared: true })));
    expect(raced.filter(({ status }) => status === 201)).toHaveLength(1);
    await clear();
  });

  it('have one shared default: the page without parameters opens with it, for members', async () => {
    const [first, second] = [(await save({ name: 'A', shared: true, default: true })).json, (await save({ name: 'B', shared: true })).json];
    expect(first.default).toBe(true);
    expect((await save({ name: 'C', default: true })).status).toBe(400);
    expect(await open(ada)).toMatchObject({ status: 303, headers: { location: `/e/${id}?smoothing=0.9`, 'cache-control': 'no-store' } });
    expect((await open(ada, '?smoothing=0')).status).toBe(200);
    await Promise.all([change(second.id, { default: true, view: 'tab=runs' }), change(first.id, { default: true })]);
    expect(await service.sql('select count(*)::int as n from saved_view where is_default')).toEqual([{ n: 1 }]);
    await change(second.id, { default: true });
    expect((await open(viewer)).headers.location).toBe(`/e/${id}?tab=runs`);
    const { experiments } = (await service.call(ada, 'GET', '/api/v1/experiments')).json;
    expect(experiments.find((one: Loose) => one.id === id).default_view).toBe('tab=runs');
    expect((await service.call(ada, 'GET', path())).json.default_view).toBe('tab=runs');
    const secret = (await service.call(ada, 'POST', `${path()}/share-links`, { body: { view: 'smoothing=0.3' } })).json;
    expect(secret.view).toBe('smoothing=0.3');
    const guest = { 'plotline-share': secret.url.split('/').at(-1) };
    expect((await service.call(null, 'GET', path(), { headers: guest })).json.default_view).toBeNull();
    expect((await service.call(null, 'GET', `${path()}/views`, { headers: guest })).status).toBe(403);
    const opened = await service.raw('GET', new URL(secret.url).pathname, { host: 'plots.example' });
    expect(opened.headers.location).toBe(`/e/${id}?smoothing=0.3`);
    await change(second.id, { shared: false });
    expect((await open(ada)).status).toBe(200);
    await clear();
  });

  it('are deleted with their owner, and with their experiment', async () => {
    const leaver = await addMember(service, ada, 'member', 'Leaver');
    await save({ name: 'private' }, leaver);
    await save({ name: 'shared', shared: true }, leaver);
    const exported = await service.call(leaver, 'GET', '/api/v1/person/export');
    expect(exported.text.split('\n').filter((line) => line.includes('"saved-view"'))).toHaveLength(2);
    expect((await service.call(leaver, 'DELETE', '/api/v1/person', { body: { name: 'Leaver' } })).status).toBeLessThan(300);
    expect(await service.sql('select name, owner_id from saved_view')).toEqual([{ name: 'shared', owner_id: null }]);
    expect((await service.call(ada, 'GET', `${path()}/views`)).json.views[0].owner).toBeNull();
    await service.sql('delete from experiment where experiment_id = $1', [id]);
    expect(await service.sql('select name from saved_view')).toEqual([]);
  });
});
