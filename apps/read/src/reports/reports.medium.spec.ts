import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '#model';
import { describeWith } from '#testing';
import { addMember } from '../testing/people.ts';
import { type Loose, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

describeWith(['postgres'], 'reports', () => {
  let service: ReadService;
  let ada: TestTenant;
  let grace: TestTenant;
  let viewer: TestTenant;
  let stranger: TestTenant;

  beforeAll(async () => {
    service = await startReadService();
    ada = await service.tenant();
    grace = await addMember(service, ada, 'member', 'Grace');
    viewer = await addMember(service, ada, 'viewer', 'Vera');
    stranger = await service.tenant();
  });
  afterAll(() => service?.close());

  const create = (body: object, as = ada, headers: Record<string, string> = {}) =>
    service.call(as, 'POST', '/api/v1/reports', { body, headers });
  const read = (id: string, as = ada) => service.call(as, 'GET', `/api/v1/reports/${id}`);
  const change = (id: string, body: object, as = ada) => service.call(as, 'PATCH', `/api/v1/reports/${id}`, { body });
  const remove = (id: string, as = ada) => service.call(as, 'DELETE', `/api/v1/reports/${id}`);
  const list = async (as = ada, query = '') => (await service.call(as, 'GET', `/api/v1/reports${query}`)).json;
  const clear = () => service.sql('delete from report');

  it('are read by the workspace, and written by its members', async () => {
    const made = await create({ title: ' Warmup ', body: '# It *helps*' });
    expect(made.status).toBe(201);
    const { id } = made.json;
    expect(made.json).toMatchObject({ title: 'Warmup', body: '# It *helps*', version: 1, owner: { id: ada.personId } });
    for (const as of [ada, grace, viewer]) expect((await read(id, as)).json.body).toBe('# It *helps*');
    const [listed] = (await list(viewer)).reports;
    expect(listed).toMatchObject({ id, title: 'Warmup' });
    expect(listed).not.toHaveProperty('body');
    expect((await change(id, { body: 'It does not.', version: 1 }, grace)).json).toMatchObject({
      title: 'Warmup',
      body: 'It does not.',
      version: 2,
      owner: { id: ada.personId },
      updated_by: { id: grace.personId, name: 'Grace' },
    });
    for (const response of [
      await create({ title: 'x' }, viewer),
      await change(id, { title: 'x', version: 2 }, viewer),
      await remove(id, viewer),
    ])
      expect([response.status, response.json.code]).toEqual([403, 'forbidden']);
    expect((await remove(id, grace)).status).toBe(403); // a report of another member
    expect((await remove(id)).status).toBe(204);
    expect((await read(id)).json.code).toBe('report-not-found');
    const log = await service.sql(`select action, result from audit_entry where object_id = $1 order by at`, [id]);
    expect(log.map(({ action, result }) => `${String(action)} ${String(result)}`)).toEqual([
      'report.create done',
      'report.update done',
      'report.delete done',
    ]);
    await clear();
  });

  it('do not exist for other workspaces, visitors, and credentials of single experiments', async () => {
    const { id } = (await create({ title: 'Secret' })).json;
    for (const response of [await read(id, stranger), await change(id, { title: 'x', version: 1 }, stranger), await remove(id, stranger)])
      expect([response.status, response.json.code]).toEqual([404, 'report-not-found']);
    expect((await list(stranger)).reports).toEqual([]);
    expect((await service.call(null, 'GET', `/api/v1/reports/${id}`)).status).toBe(401);
    for (const odd of ['x', '%00', id.replace(/^./, 'g'), `${id}0`]) expect([odd, (await read(odd)).status]).toEqual([odd, 404]);
    const experiment = (await service.call(ada, 'POST', '/api/v1/experiments', { body: { name: 'one' } })).json.id;
    const { token } = (await service.call(ada, 'POST', '/api/v1/tokens', { body: { name: 't', experiments: [experiment] } })).json;
    expect((await read(id, { ...ada, token })).status).toBe(403);
    const link = (await service.call(ada, 'POST', `/api/v1/experiments/${experiment}/share-links`, { body: {} })).json;
    const guest = { 'plotline-share': link.url.split('/').at(-1) };
    expect((await service.call(null, 'GET', `/api/v1/reports/${id}`, { headers: guest })).status).toBe(403);
    await clear();
  });

  it('reject a change of an old version, and say who made the newer one', async () => {
    const { id } = (await create({ title: 'T', body: 'a' })).json;
    const raced = await Promise.all([change(id, { body: 'b', version: 1 }, grace), change(id, { body: 'c', version: 1 }, grace)]);
    expect(raced.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const stale = await change(id, { body: 'd', version: 1 });
    expect([stale.status, stale.json.code]).toEqual([409, 'report-changed']);
    expect(stale.json.detail).toContain('Grace changed this report');
    expect((await read(id)).json).toMatchObject({ version: 2, body: raced.find(({ status }) => status === 200)!.json.body });
    await clear();
  });

  it('are bounded', async () => {
    const title = 'T';
    const { id } = (await create({ title, body: 'a' })).json;
    const bad = [
      [{ title: ' ' }, 'invalid-name'],
      [{ title: 'a\0' }, 'invalid-name'],
      [{ title: 'x'.repeat(limits.maxReportTitleCharacters + 1) }, 'name-too-long'],
      [{ title, body: '\ud800' }, 'invalid-name'],
      [{ title, body: 'x'.repeat(limits.maxReportBytes + 1) }, 'name-too-long'],
      [{ title, body: 'ä'.repeat(limits.maxReportBytes / 2 + 1) }, 'name-too-long'],
      [{ title, owner: 'x' }, 'unknown-field'],
      [{ body: 'x' }, 'bad-request'],
    ] as const;
    for (const [body, code] of bad) expect([code, (await create(body)).json.code]).toEqual([code, code]);
    for (const version of [0, -1, 1.5, '1', 2 ** 31, null, undefined]) expect((await change(id, { title, version })).status).toBe(400);
    expect((await create({ title: '𝔸'.repeat(limits.maxReportTitleCharacters), body: 'x'.repeat(limits.maxReportBytes) })).status).toBe(
      201,
    );
    await clear();
    await service.sql(
      `insert into report (tenant_id, report_id, owner_id, title, body) select $1, gen_random_uuid(), $2, 'n', '' from generate_series(1, $3)`,
      [ada.tenantId, ada.personId, limits.maxReports - 1],
    );
    const raced = await Promise.all([1, 2, 3].map(() => create({ title })));
    expect(raced.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(raced.filter(({ json }) => json.code === 'quota-exceeded')).toHaveLength(2);
    await clear();
  });

  it('are listed page by page, last changed first', async () => {
    const ids: string[] = [];
    for (const title of ['a', 'b', 'c']) ids.push((await create({ title })).json.id);
    await change(ids[0]!, { body: 'x', version: 1 });
    const titles = (page: Loose): string[] => page.reports.map((one: Loose) => one.title);
    const first = await list(ada, '?page_size=2');
    expect(titles(first)).toEqual(['a', 'c']);
    const second = await list(ada, `?page_size=2&page_token=${first.next_page_token}`);
    expect([titles(second), second.next_page_token]).toEqual([['b'], undefined]);
    expect((await remove(ids[2]!)).status).toBe(204); // the last one of the first page
    const stale = await list(ada, `?page_size=2&page_token=${first.next_page_token}`);
    expect(stale.code).toBe('invalid-page-token');
    await clear();
  });

  it('are created once for an idempotency key', async () => {
    const key = { 'idempotency-key': 'one-report' };
    const [first, again] = [await create({ title: 'T' }, ada, key), await create({ title: 'T' }, ada, key)];
    expect([again.status, again.json.id]).toEqual([201, first.json.id]);
    expect((await list()).reports).toHaveLength(1);
    await clear();
  });

  it('stay without the name of an erased person, who can export theirs before', async () => {
    const leaver = await addMember(service, ada, 'member', 'Leaver');
    const { id } = (await create({ title: 'Left' }, leaver)).json;
    const exported = await service.call(leaver, 'GET', '/api/v1/person/export');
    expect(exported.text.split('\n').filter((line) => line.includes('"kind":"report"'))).toHaveLength(1);
    expect((await service.call(leaver, 'DELETE', '/api/v1/person', { body: { name: 'Leaver' } })).status).toBeLessThan(300);
    expect((await read(id)).json).toMatchObject({ owner: null, updated_by: null });
    await clear();
  });

  it('have pages without scripts, in which nothing is markup', async () => {
    const { id } = (await create({ title: '<img src=x onerror=alert(1)>', body: '</pre><script>alert(1)</script>' })).json;
    const page = async (path: string, as: TestTenant | null = ada) =>
      service.raw('GET', path, {
        host: 'plots.example',
        accept: 'text/html',
        ...(as && { authorization: `Bearer ${as.token}` }),
      });
    for (const path of ['/reports', `/reports/${id}`, `/reports/${id}/edit`]) {
      const { status, text } = await page(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toMatch(/<img src=x|<script>alert/);
      expect((await page(path, null)).text).not.toContain('onerror');
    }
    expect((await page(`/reports/${id}/edit`, viewer)).status).toBe(403);
    expect((await page(`/reports/${id}`, stranger)).status).toBe(404);
    await clear();
  });
});
