import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createSignInLink } from '#auth';
import { loadConfig } from '#config';
import { describeWith } from '#testing';
import { SignInSettings } from '../sign-in/sign-in-settings.ts';
import { Browser } from '../testing/browser.ts';
import { addMember } from '../testing/people.ts';
import { type Loose, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';

const publicUrl = 'http://plots.example';
const max = 3;

describeWith(['postgres'], 'the workspaces of a person', () => {
  let service: ReadService;
  let ada: TestTenant;
  beforeAll(async () => {
    const { signIn } = loadConfig({ PLOTLINE_WORKSPACES_PER_PERSON: String(max) });
    service = await startReadService(publicUrl, [], { signIn: new SignInSettings(signIn) });
  });
  beforeEach(async () => {
    ada = await service.tenant('Lab');
  });
  afterAll(() => service?.close());

  const make = (name: string, as: TestTenant = ada, headers: Record<string, string> = {}) =>
    service.call(as, 'POST', '/api/v1/workspaces', { body: { name }, headers });
  const list = async (as: TestTenant): Promise<Loose[]> => (await service.call(as, 'GET', '/api/v1/workspaces')).json.workspaces;
  const names = async (as: TestTenant): Promise<string[]> => (await list(as)).map(({ name }) => name);
  const signedIn = async (who: TestTenant): Promise<Browser> => {
    const browser = new Browser({ 'plots.example': new URL(service.base).host });
    await browser.request('GET', `${publicUrl}/sign-in/${await createSignInLink(service.store, who)}`);
    return browser;
  };
  const send = async (browser: Browser, path: string, fields: Record<string, string>, token?: string) => {
    const page = await browser.request('GET', `${publicUrl}/workspaces`);
    const own = /name="csrf_token" value="([^"]+)"/.exec(page.text)![1]!;
    const form = { csrf_token: token ?? own, ...fields };
    return browser.request('POST', publicUrl + path, { form, headers: { origin: publicUrl, 'sec-fetch-site': 'same-origin' } });
  };
  const whereIs = async (browser: Browser): Promise<string> =>
    JSON.parse((await browser.request('GET', `${publicUrl}/api/v1/whoami`)).text).workspace.name;

  it('can be created by them, are theirs, and share nothing with others', async () => {
    const made = await make('Second');
    expect([made.status, made.json]).toEqual([201, { id: expect.any(String), name: 'Second', role: 'owner', current: false }]);
    expect(await list(ada)).toMatchObject([{ name: 'Lab', current: true }, made.json]);
    expect((await service.sql('select actor_id, action from audit_entry where tenant_id = $1', [made.json.id]))[0]).toEqual({
      actor_id: ada.personId,
      action: 'workspace.create',
    });
    // The token stays in its workspace.
    expect((await service.call(ada, 'GET', '/api/v1/workspace')).json.name).toBe('Lab');
    expect((await service.call(ada, 'POST', '/api/v1/experiments', { body: { workspace: made.json.id } })).status).toBeGreaterThanOrEqual(
      400,
    );
  });

  it('are created once for repeated requests, also after an interrupted one', async () => {
    const key = { 'idempotency-key': `key-${ada.personId}` };
    const all = await Promise.all(Array.from({ length: 4 }, () => make('Once', ada, key)));
    expect(new Set(all.map(({ status, json }) => `${status} ${json.id}`)).size).toBe(1);
    expect(all.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(3);
    expect((await make('Twice', ada, key)).json.code).toBe('idempotency-key-reused');
    const { id } = all[0]!.json;
    for (const table of ['workspace', 'person_workspace']) await service.sql(`delete from ${table} where tenant_id = $1`, [id]); // as if these had not been created
    expect((await make('Once', ada, key)).json.id).toBe(id);
    expect(await names(ada)).toEqual(['Lab', 'Once']);
  });

  it('are bounded in number, also for concurrent requests, and after a transfer', async () => {
    const statuses = (await Promise.all(Array.from({ length: 8 }, (_, n) => make(`W${n}`)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(max);
    const rejected = await make('more');
    expect([rejected.status, rejected.json]).toMatchObject([403, { code: 'quota-exceeded', quota: 'workspaces', limit: max, used: max }]);
    const [, given] = await list(ada);
    await service.sql(`update person_workspace set left_at = now() where tenant_id = $1 and person_id = $2`, [given.id, ada.personId]);
    expect((await make('more')).json.code).toBe('quota-exceeded');
    expect((await names(ada)).filter((name) => name === 'more')).toEqual([]);
  });

  it.each([
    {},
    { name: '' },
    { name: ' ' },
    { name: 'x'.repeat(101) },
    { name: 5 },
    { name: 'x', role: 'owner' },
    { name: 'x', tenant_id: 'y' },
  ])('are not created by %j', async (body) => {
    expect((await service.call(ada, 'POST', '/api/v1/workspaces', { body })).status).toBe(400);
    expect(await names(ada)).toEqual(['Lab']);
  });

  it('are created by people with the scope, and by no one if the operator says so', async () => {
    const viewer = await addMember(service, ada, 'viewer');
    expect((await make('Own', viewer)).status).toBe(201); // a role in one workspace says nothing about another
    const { json: reading } = await service.call(ada, 'POST', '/api/v1/tokens', { body: { name: 'r', scopes: ['read', 'upload'] } });
    expect((await make('x', { ...ada, token: reading.token })).json.code).toBe('forbidden');
    const account = (await service.call(ada, 'POST', '/api/v1/service-accounts', { body: { name: 'ci', role: 'admin' } })).json.id;
    const { json: program } = await service.call(ada, 'POST', `/api/v1/service-accounts/${account}/tokens`, {
      body: { name: 't', scopes: ['read', 'upload', 'manage', 'admin'] },
    });
    expect((await make('x', { ...ada, token: program.token })).json.code).toBe('forbidden');
    const closed = await startReadService(publicUrl, [], {
      signIn: new SignInSettings(loadConfig({ PLOTLINE_WORKSPACES_PER_PERSON: '0' }).signIn),
    });
    try {
      const there = await closed.tenant();
      expect((await closed.call(there, 'POST', '/api/v1/workspaces', { body: { name: 'x' } })).json.code).toBe('forbidden');
      const browser = new Browser({ 'plots.example': new URL(closed.base).host });
      await browser.request('GET', `${publicUrl}/sign-in/${await createSignInLink(closed.store, there)}`);
      expect((await browser.request('GET', `${publicUrl}/workspaces`)).text).not.toContain('Create workspace');
    } finally {
      await closed.close();
    }
  });

  it('have a page that switches between them, with a new cookie', async () => {
    const browser = await signedIn(ada);
    expect((await browser.request('GET', `${publicUrl}/?plain`)).text).toContain('href="/workspaces"');
    const before = browser.cookie('plots.example', 'plotline_session');
    const made = await send(browser, '/workspaces', { name: 'Second' });
    expect([made.status, made.headers.get('location'), await whereIs(browser)]).toEqual([303, '/', 'Second']);
    expect(browser.cookie('plots.example', 'plotline_session')).not.toBe(before);
    const old = { cookie: `plotline_session=${before}`, host: 'plots.example' };
    await expect.poll(async () => (await service.raw('GET', '/api/v1/whoami', old)).status, { timeout: 10_000 }).toBe(401);
    expect((await send(browser, '/workspaces/choose', { workspace: ada.tenantId })).status).toBe(303);
    expect(await whereIs(browser)).toBe('Lab');
    const page = (await browser.request('GET', `${publicUrl}/workspaces`)).text;
    expect([page.match(/>current</g)!.length, page.match(/>Switch<\/button>/g)!.length]).toEqual([1, 1]);
  });

  it('are entered by members only, and from our own pages only', async () => {
    const [browser, stranger] = [await signedIn(ada), await service.tenant('Theirs')];
    for (const workspace of [stranger.tenantId, 'x', '00000000-0000-0000-0000-000000000000']) {
      const response = await send(browser, '/workspaces/choose', { workspace });
      expect([response.status, response.text.includes('Theirs')]).toEqual([404, false]);
    }
    expect((await send(browser, '/workspaces', { name: 'x' }, 'forged')).status).toBe(403);
    for (const origin of ['https://evil.example', 'null']) {
      const response = await browser.request('POST', `${publicUrl}/workspaces`, { form: { name: 'x' }, headers: { origin } });
      expect([origin, response.status]).toEqual([origin, 404]);
    }
    expect([await names(ada), await whereIs(browser)]).toEqual([['Lab'], 'Lab']);
    expect((await service.call(null, 'GET', '/workspaces')).text).not.toContain('Workspaces</h1>');
  });

  it('can be left when suspended, by switching or signing out', async () => {
    await make('Second');
    const browser = await signedIn(ada);
    await service.sql(
      `insert into workspace_limits (tenant_id, suspension, suspension_reason, suspended_at) values ($1, 'closed', 'Unpaid.', now())`,
      [ada.tenantId],
    );
    const other = (await list(ada))[1];
    await expect.poll(async () => (await browser.request('GET', `${publicUrl}/`)).status, { timeout: 10_000 }).toBe(403);
    expect((await make('Third')).json.code).toBe('workspace-suspended'); // that would be a bypass
    expect((await send(browser, '/workspaces/choose', { workspace: other.id })).status).toBe(303);
    expect((await browser.request('GET', `${publicUrl}/`)).status).toBe(200);
    const still = await signedIn(ada);
    const token = /name="csrf_token" value="([^"]+)"/.exec((await still.request('GET', `${publicUrl}/sessions`)).text)![1]!;
    const out = await still.request('POST', `${publicUrl}/sign-out`, { form: { csrf_token: token }, headers: { origin: publicUrl } });
    expect([out.status, still.cookie('plots.example', 'plotline_session')]).toEqual([303, null]);
  });
});
