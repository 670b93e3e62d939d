import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { liveRoutes } from '#http';
import { type ExperimentId, limits } from '#model';
import { describeWith } from '#testing';
import { LoggedExperiments } from '../testing/logged-experiment.ts';
import { addMember } from '../testing/people.ts';
import { type ApiResponse, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const events = (value: number) => [
  { step: 1n, values: [{ tag: 'loss', scalar: value }] },
  { step: 2n, values: [{ tag: 'loss', scalar: value / 2 }] },
];

describeWith(['postgres'], 'links to reports', () => {
  let service: ReadService;
  let logged: LoggedExperiments;
  let owner: TestTenant;
  let admin: TestTenant;
  let member: TestTenant;
  let stranger: TestTenant;
  let shown: ExperimentId;
  let added: ExperimentId;
  let hidden: ExperimentId;
  let foreign: ExperimentId;
  /** An experiment of the member. */
  let theirs: ExperimentId;

  beforeAll(async () => {
    service = await startReadService('https://plots.example');
    logged = new LoggedExperiments(service);
    owner = await service.tenant('Secret Lab');
    stranger = await service.tenant('Other');
    admin = await addMember(service, owner, 'admin', 'Alan');
    member = await addMember(service, owner, 'member', 'Grace');
    await service.sql(`update person set display_name = 'Secret Ada' where person_id = $1`, [owner.personId]);
    shown = await logged.make(owner, { run: events(1) }, 'shown');
    added = await logged.make(owner, { run: events(2) }, 'added');
    hidden = await logged.make(owner, { run: events(3) }, 'secret experiment');
    foreign = await logged.make(stranger, { run: events(4) }, 'secret foreign');
    theirs = await logged.make(member, { run: events(5) }, 'of Grace');
  });
  afterAll(async () => {
    await logged?.close();
    await service?.close();
  });

  const block = (...addresses: string[]): string => addresses.map((one) => `\`\`\`plotline\n${one}\n\`\`\``).join('\n\n');
  const cite = (...ids: string[]): string => block(...ids.map((id) => `/e/${id}?card=loss`));
  const write = async (body: string, as = owner, title = 'Rates'): Promise<string> => {
    const { status, json } = await service.call(as, 'POST', '/api/v1/reports', { body: { title, body } });
    expect(status).toBe(201);
    return json.id;
  };
  const edit = (id: string, version: number, body: string, as = owner): Promise<ApiResponse> =>
    service.call(as, 'PATCH', `/api/v1/reports/${id}`, { body: { body, version } });
  const share = (id: string, body: object = {}, as = owner): Promise<ApiResponse> =>
    service.call(as, 'POST', `/api/v1/reports/${id}/share-links`, { body });
  const secretOf = ({ status, json }: ApiResponse): string => {
    expect(status).toBe(201);
    return String(json.url).split('/').at(-1)!;
  };
  const by = (secret: string, path: string, method = 'GET', body?: unknown): Promise<ApiResponse> =>
    service.call(null, method, path, { body, headers: { 'plotline-share': secret } });
  const statusBy = async (secret: string, path: string): Promise<number> => (await by(secret, path)).status;
  const report = (id: string): string => `/api/v1/reports/${id}`;
  const experiment = (id: string, rest = ''): string => `/api/v1/experiments/${id}${rest}`;
  /** Lookups are cached for three seconds; waits until a lookup returns this status. */
  const becomes = async (secret: string, path: string, status: number): Promise<void> => {
    await expect.poll(() => statusBy(secret, path), { timeout: 10_000 }).toBe(status);
  };

  it('are shown once, listed without their secret, and audited', async () => {
    const id = await write(cite(shown));
    const made = await share(id, { name: 'for reviewers', anonymous: true, expires_in_days: 7 });
    expect(made.json).toEqual({
      id: expect.any(String),
      url: expect.stringMatching(/^https:\/\/plots\.example\/s\/[0-9A-Za-z]{30}$/), // 178 bits
      kind: 'report',
      name: 'for reviewers',
      report: id,
      anonymous: true,
      expires_at: expect.any(String),
    });
    const listed = await service.call(owner, 'GET', `${report(id)}/share-links`);
    expect(listed.json.share_links).toMatchObject([{ id: made.json.id, name: 'for reviewers', made_by: { name: 'Secret Ada' } }]);
    expect(listed.text).not.toContain(secretOf(made));
    const stored = JSON.stringify(
      await service.sql('select l::text, (select json_agg(r::text) from share_link_route r) from report_link l'),
    );
    expect(stored).not.toContain(secretOf(made));
    expect((await service.call(owner, 'DELETE', `${report(id)}/share-links/${made.json.id}`)).status).toBe(204);
    expect((await service.call(owner, 'GET', `${report(id)}/share-links`)).json.share_links).toEqual([]);
    const log = await service.sql('select action, details from audit_entry where object_id = $1 order by at', [made.json.id]);
    expect(log).toEqual([
      { action: 'share-link.create', details: { report: id, anonymous: true, experiments: 1, expires_in_days: 7 } },
      { action: 'share-link.revoke', details: { report: id } },
    ]);
  });

  it('show the report and its experiments, and nothing else', async () => {
    const other = await write(cite(hidden), owner, 'Secret report');
    const id = await write(`${cite(shown)}\n\n${block(`/e/${added}?compare=${theirs}`)}\n\n${cite(foreign, '0'.repeat(22))}`, admin);
    const secret = secretOf(await share(id, {}, admin));
    const read = await by(secret, report(id));
    expect([read.status, read.json.title, read.json.owner.name]).toEqual([200, 'Rates', 'Alan']);
    for (const one of [shown, added, theirs]) {
      expect((await by(secret, experiment(one))).status).toBe(200);
      expect((await by(secret, experiment(one, '/runs'))).json.runs).toHaveLength(1);
      expect((await by(secret, experiment(one, '/scalars?tag=loss'))).status).toBe(200);
      for (const rest of ['/files', '/receipt', '/problems', '/share-links', '/views', '/exports', '/deletions'])
        expect([rest, await statusBy(secret, experiment(one, rest))]).toEqual([rest, 403]);
    }
    for (const one of [hidden, foreign, '0'.repeat(22)])
      for (const rest of ['', '/runs', '/tags', '/scalars?tag=loss', '/frontier'])
        expect([rest, await statusBy(secret, experiment(one, rest))]).toEqual([rest, 404]);
    for (const one of [other, randomUUID(), 'x']) expect((await by(secret, report(one))).json.code).toBe('report-not-found');
    for (const [method, path] of [
      ['GET', '/api/v1/reports'],
      ['POST', '/api/v1/reports'],
      ['PATCH', report(id)],
      ['DELETE', report(id)],
      ['GET', `${report(id)}/share-links`],
      ['POST', `${report(id)}/share-links`],
      ['GET', '/api/v1/experiments'],
      ['GET', '/api/v1/members'],
      ['GET', '/api/v1/audit'],
    ] as const)
      expect([method, path, (await by(secret, path, method, method === 'GET' ? undefined : {})).status]).toEqual([method, path, 403]);
  });

  it('give access to no route beyond reports and experiments', async () => {
    const id = await write(cite(shown));
    const secret = secretOf(await share(id));
    const known: Record<string, string> = { experimentId: hidden, reportId: await write(cite(hidden), owner, 'Secret report') };
    const fill = (path: string): string => path.replace(/[:*]([A-Za-z]+)/g, (_, name: string) => known[name] ?? 'x');
    for (const { method, path, public: isPublic } of liveRoutes(service.app)) {
      if (isPublic || ['/api/v1/whoami', '/mcp'].includes(path)) continue;
      const { status, text } = await by(secret, fill(path), method, method === 'GET' ? undefined : {});
      expect([method, path, [400, 401, 403, 404, 405].includes(status), status]).toEqual([method, path, true, status]);
      expect([method, path, /secret/i.test(text)]).toEqual([method, path, false]);
    }
    const tools = await by(secret, '/mcp', 'POST', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_experiments', arguments: {} },
    });
    expect(tools.text).not.toMatch(/secret/i);
  });

  it('hide names of people if they are anonymous', async () => {
    const id = await write(cite(shown));
    const secret = secretOf(await share(id, { anonymous: true }));
    const read = await by(secret, report(id));
    expect(read.json).toMatchObject({ owner: null, updated_by: null });
    expect((await by(secret, experiment(shown))).json.owner).toBeNull();
    for (const { text } of [read, await by(secret, experiment(shown)), await by(secret, experiment(shown, '/runs'))])
      expect(text).not.toMatch(/secret/i);
  });

  it('open the page with a cookie, which also shows the experiments', async () => {
    const id = await write(cite(shown));
    const secret = secretOf(await share(id));
    const host = { host: 'plots.example' };
    const opened = await service.raw('GET', `/s/${secret}`, host);
    expect([opened.status, opened.headers.location]).toEqual([303, `/reports/${id}`]);
    expect(opened.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^__Host-plotline_report_${id}=${secret}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$`),
      ),
    ]);
    const cookie = `__Host-plotline_report_${id}=${secret}`;
    const get = (path: string, headers: Record<string, string> = {}) => service.raw('GET', path, { ...host, cookie, ...headers });
    for (const path of [`/reports/${id}`, `/e/${shown}`, experiment(shown), experiment(shown, '/scalars?tag=loss')])
      expect([path, (await get(path)).status]).toEqual([path, 200]);
    const page = await get(`/reports/${id}`);
    expect(page.text).not.toContain(secret);
    expect(page.text).not.toMatch(/secret (lab|ada)/i);
    for (const path of [`/reports/${id}/edit`, `/reports/${randomUUID()}`, '/reports', `/e/${hidden}`, `/e/${foreign}`, '/members'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    for (const path of [experiment(hidden), '/api/v1/experiments', '/api/v1/reports', report(randomUUID())])
      expect([path, (await get(path)).status]).toEqual([path, 401]);
    // From another site, and at a host that is not ours
    expect((await get(experiment(shown), { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).status).toBe(401);
    expect((await get(experiment(shown), { host: 'rebound.example' })).status).toBe(401);
    expect((await service.raw('GET', `/s/${secret}`, { host: 'rebound.example' })).status).toBe(400);
    expect((await service.raw('GET', `/embed/${secret}`, host)).status).toBe(404);
    // Someone who is signed in to another workspace is a visitor, too; a member stays a member
    const as = (who: TestTenant) => get(report(id), { authorization: `Bearer ${who.token}` });
    expect((await as(stranger)).status).toBe(200);
    expect(JSON.parse((await as(member)).text).owner.name).toBe('Secret Ada');
  });

  it('keep few cookies, of the reports opened last', async () => {
    const id = await write(cite(shown));
    const secret = secretOf(await share(id));
    const others = Array.from({ length: 9 }, () => randomUUID());
    const cookie = others.map((one) => `__Host-plotline_report_${one}=${'x'.repeat(30)}`).join('; ');
    const opened = await service.raw('GET', `/s/${secret}`, { host: 'plots.example', cookie });
    const set = opened.headers['set-cookie']!;
    expect(set.slice(0, -1)).toEqual(
      others.slice(0, 2).map((one) => expect.stringMatching(`^__Host-plotline_report_${one}=; Path=/; Max-Age=0;`)),
    );
    expect(set.at(-1)).toContain(`__Host-plotline_report_${id}=${secret};`);
    // Beyond the limit, the first cookies do not count
    const own = `__Host-plotline_report_${id}=${secret}`;
    const visit = (cookies: string[]) => service.raw('GET', experiment(shown), { host: 'plots.example', cookie: cookies.join('; ') });
    const rest = cookie.split('; ');
    expect((await visit([...rest, own])).status).toBe(200);
    expect((await visit([own, ...rest])).status).toBe(401);
  });

  it('follow the text: experiments added later are shown, and removed ones are not', async () => {
    const id = await write(cite(shown));
    const secret = secretOf(await share(id));
    expect(await statusBy(secret, experiment(added))).toBe(404);
    expect((await edit(id, 1, cite(added))).status).toBe(200);
    await becomes(secret, experiment(added), 200);
    await becomes(secret, experiment(shown), 404);
    expect((await by(secret, report(id))).json.body).toContain(added);
    expect((await service.call(owner, 'PATCH', report(id), { body: { title: 'Renamed', version: 2 } })).status).toBe(200);
    await becomes(secret, report(id), 200);
    expect((await by(secret, report(id))).json.title).toBe('Renamed');
    expect(await statusBy(secret, experiment(added))).toBe(200);
  });

  it('end when they are revoked, expire, or the report or an experiment is deleted', async () => {
    const gone = await logged.make(owner, { run: events(6) }, 'gone');
    const ids = await Promise.all([1, 2, 3, 4].map(() => write(cite(shown, gone))));
    const made = await Promise.all(ids.map((id) => share(id)));
    const secrets = made.map(secretOf);
    for (const [i, secret] of secrets.entries())
      for (const path of [report(ids[i]!), experiment(shown), experiment(gone)]) expect(await statusBy(secret, path)).toBe(200);
    await service.call(owner, 'DELETE', `${report(ids[0]!)}/share-links/${made[0]!.json.id}`);
    await service.sql('update report_link set expires_at = now() where link_id = $1', [made[1]!.json.id]);
    await service.call(owner, 'DELETE', report(ids[2]!));
    await service.call(owner, 'DELETE', experiment(gone));
    for (const i of [0, 1, 2]) for (const path of [report(ids[i]!), experiment(shown)]) await becomes(secrets[i]!, path, 401);
    await becomes(secrets[3]!, experiment(gone), 404);
    expect([await statusBy(secrets[3]!, report(ids[3]!)), await statusBy(secrets[3]!, experiment(shown))]).toEqual([200, 200]);
    const routes = await service.sql('select 1 from share_link_route where link_id = $1', [made[2]!.json.id]);
    expect(routes).toEqual([]);
    for (const i of [0, 1, 2]) expect((await service.raw('GET', `/s/${secrets[i]!}`, { host: 'plots.example' })).status).toBe(404);
  });

  it('are made and revoked by those who may share the report', async () => {
    const id = await write(cite(shown));
    const made = await share(id);
    const path = `${report(id)}/share-links/${made.json.id}`;
    for (const response of [
      await share(id, {}, member),
      await service.call(member, 'GET', `${report(id)}/share-links`),
      await service.call(member, 'DELETE', path),
    ])
      expect([response.status, response.json.code]).toEqual([403, 'forbidden']);
    for (const response of [await share(id, {}, stranger), await service.call(stranger, 'GET', `${report(id)}/share-links`)])
      expect([response.status, response.json.code]).toEqual([404, 'report-not-found']);
    for (const [as, one] of [
      [stranger, path],
      [owner, `${report(await write(''))}/share-links/${made.json.id}`],
      [owner, `${report(id)}/share-links/x`],
      [owner, `${report(id)}/share-links/${randomUUID()}`],
    ] as const)
      expect((await service.call(as, 'DELETE', one)).json.code).toBe('share-link-not-found');
    expect((await service.call(admin, 'DELETE', path)).status).toBe(204);
    for (const body of [{ name: 'x'.repeat(101) }, { name: '\0' }, { expires_in_days: 0 }, { view: '' }])
      expect((await share(id, body)).status).toBe(400);
  });

  it('show no experiment that its author may not share', async () => {
    const id = await write(cite(theirs, shown), member);
    const refused = await share(id, {}, member);
    expect([refused.status, refused.json.code]).toEqual([403, 'forbidden']);
    expect(refused.json.detail).toContain('you may not share “shown”.');
    // The author cannot add it later, either
    expect((await edit(id, 1, cite(theirs), member)).status).toBe(200);
    const secret = secretOf(await share(id, {}, member));
    const later = await edit(id, 2, cite(theirs, shown), member);
    expect([later.status, later.json.code]).toEqual([403, 'forbidden']);
    expect((await by(secret, report(id))).json.version).toBe(2);
    // An admin may add the experiment; then members may change the text around the experiment
    expect((await edit(id, 2, cite(theirs, shown), admin)).status).toBe(200);
    expect((await edit(id, 3, `# New\n\n${cite(shown, theirs)}`, member)).status).toBe(200);
    await becomes(secret, experiment(shown), 200);
    // Without links, anyone may show anything
    const { share_links: links } = (await service.call(admin, 'GET', `${report(id)}/share-links`)).json;
    await service.call(admin, 'DELETE', `${report(id)}/share-links/${links[0].id}`);
    expect((await edit(id, 4, cite(hidden), member)).status).toBe(200);
    expect((await share(id, {}, member)).status).toBe(403);
  });

  it('are denied to reports with too many experiments', async () => {
    const many = Array.from({ length: limits.maxReportExperiments + 1 }, (_, i) => String(i).padStart(22, 'A'));
    const id = await write(cite(...many));
    expect((await share(id)).json.code).toBe('quota-exceeded');
    expect((await edit(id, 1, cite(...many.slice(1)))).status).toBe(200);
    expect((await share(id)).status).toBe(201);
    expect((await edit(id, 2, cite(...many))).json.code).toBe('quota-exceeded');
  });

  it('work for reports that were written before their experiments were stored', async () => {
    const id = await write(cite(shown));
    await service.sql(`update report set experiments = '{}' where report_id = $1`, [id]);
    const secret = secretOf(await share(id));
    expect(await statusBy(secret, experiment(shown))).toBe(200);
  });

  it('never show an experiment of another workspace, whatever is stored', async () => {
    const id = await write(cite(shown));
    await service.sql(`update report set experiments = array[$2, $3] where report_id = $1`, [id, foreign, shown]);
    const secret = secretOf(await share(id));
    await service.sql(`update report set experiments = array[$2, $3] where report_id = $1`, [id, foreign, shown]);
    expect([await statusBy(secret, experiment(shown)), await statusBy(secret, experiment(foreign))]).toEqual([200, 404]);
  });

  it('stay without the name of an erased person, who can export theirs before', async () => {
    const leaver = await addMember(service, owner, 'member', 'Leaver');
    const id = await write('', leaver);
    secretOf(await share(id, { name: 'left' }, leaver));
    const exported = await service.call(leaver, 'GET', '/api/v1/person/export');
    expect(exported.text.split('\n').filter((line) => line.includes('"kind":"report-link"'))).toEqual([
      expect.stringContaining('"name":"left"'),
    ]);
    expect((await service.call(leaver, 'DELETE', '/api/v1/person', { body: { name: 'Leaver' } })).status).toBeLessThan(300);
    const listed = await service.call(owner, 'GET', `${report(id)}/share-links`);
    expect(listed.json.share_links).toMatchObject([{ name: 'left', made_by: null }]);
  });
});
