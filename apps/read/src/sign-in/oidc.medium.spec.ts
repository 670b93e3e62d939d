import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginOidcSignIn, createSignInLink, finishOidcSignIn, OidcProvider, oidcSettings } from '#auth';
import { loadConfig } from '#config';
import type { TenantId } from '#model';
import { tenantIdOf } from '#model/testing';
import { DatabaseClock, insertMember, insertWorkspace, removeMemberRow, type Store } from '#store';
import { describeWith } from '#testing';
import { enterByIdentity } from '#workspaces';
import { Browser, type BrowserResponse } from '../testing/browser.ts';
import { OpenIdProvider } from '../testing/openid-provider.ts';
import { type Loose, type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { SignInSettings } from './sign-in-settings.ts';

const publicUrl = 'http://plots.example';
const callback = `${publicUrl}/sign-in/oidc/callback`;
const configOf = (provider: OpenIdProvider, more: Record<string, string> = {}) =>
  loadConfig({
    PLOTLINE_OIDC_ISSUER: provider.issuer,
    PLOTLINE_OIDC_CLIENT_ID: OpenIdProvider.clientId,
    PLOTLINE_OIDC_CLIENT_SECRET: OpenIdProvider.clientSecret,
    PLOTLINE_OIDC_NAME: 'Example ID',
    ...more,
  }).signIn;

describeWith(['postgres'], 'sign-in through an OpenID provider', () => {
  let provider: OpenIdProvider;
  let service: ReadService;
  beforeAll(async () => {
    provider = await OpenIdProvider.start(callback);
    service = await startReadService(publicUrl, [], {
      signIn: new SignInSettings(configOf(provider, { PLOTLINE_OIDC_NEW_PEOPLE: 'workspace' })),
    });
  });
  afterAll(async () => {
    await service?.close();
    await provider?.stop();
  });

  const newBrowser = () => new Browser({ 'plots.example': new URL(service.base).host });
  /** Goes as far as the provider: returns where it would redirect the browser. */
  const startSignIn = async (browser: Browser, next = '/'): Promise<URL> => {
    const begun = await browser.request('GET', `${publicUrl}/sign-in/oidc?next=${encodeURIComponent(next)}`);
    expect(begun.status).toBe(303);
    return new URL(begun.headers.get('location')!);
  };
  const finishSignIn = (browser: Browser, response: URL): Promise<BrowserResponse> => browser.request('GET', response);
  const signInAs = async (browser: Browser, login: string): Promise<BrowserResponse> =>
    finishSignIn(browser, await browser.signInAtProvider(await startSignIn(browser), login, callback));
  const whoami = async (browser: Browser) => JSON.parse((await browser.request('GET', `${publicUrl}/api/v1/whoami`)).text);
  const expectRejected = async (browser: Browser, response: BrowserResponse): Promise<void> => {
    expect([response.status, response.headers.get('set-cookie')]).toEqual([400, null]);
    expect(response.text).toContain('Sign-in failed');
    expect((await browser.request('GET', `${publicUrl}/`)).status).toBe(404);
  };

  it('sends code, PKCE, state and nonce, and binds them to a cookie of the browser', async () => {
    const browser = newBrowser();
    const begun = await browser.request('GET', `${publicUrl}/sign-in/oidc`);
    const { searchParams: asked } = new URL(begun.headers.get('location')!);
    expect(Object.fromEntries(asked)).toEqual({
      client_id: 'plotline',
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid profile email',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      state: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      nonce: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    });
    expect(begun.headers.get('set-cookie')).toMatch(/^plotline_oidc=[0-9A-Za-z]{30}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
    const again = await startSignIn(newBrowser());
    for (const name of ['state', 'nonce', 'code_challenge']) expect(again.searchParams.get(name)).not.toBe(asked.get(name));
    const stored = JSON.stringify(await service.sql('select t::text from oidc_attempt t'));
    for (const secret of [browser.cookie('plots.example', 'plotline_oidc')!, asked.get('state')!, asked.get('nonce')!])
      expect(stored).not.toContain(secret);
  });

  it('creates a person and a workspace once, and finds them again after they are renamed', async () => {
    provider.accounts.set('ada', { name: 'Ada Lovelace', email: 'ada@example.org', email_verified: true });
    const browser = newBrowser();
    const page = await browser.request('GET', `${publicUrl}/sign-in?next=/sessions`);
    expect(page.text).toContain('href="/sign-in/oidc?next=%2Fsessions"');
    const entered = await finishSignIn(browser, await browser.signInAtProvider(await startSignIn(browser, '/sessions'), 'ada', callback));
    expect([entered.status, entered.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(entered.text).toContain('content="0;url=/sessions"');
    const cookies = entered.headers.getSetCookie();
    expect(cookies).toContainEqual(
      expect.stringMatching(/^plotline_session=[0-9A-Za-z]{30}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/),
    );
    expect(browser.cookie('plots.example', 'plotline_oidc')).toBeNull();
    const first = await whoami(browser);
    expect(first).toMatchObject({
      person: { name: 'Ada Lovelace' },
      workspace: { name: 'Workspace of Ada Lovelace' },
      role: 'owner',
      via: 'session',
    });
    expect((await browser.request('GET', `${publicUrl}/sessions`)).text).toContain('Example ID');
    provider.accounts.set('ada', { name: 'Countess', email: 'countess@example.org', email_verified: true });
    const elsewhere = newBrowser();
    await signInAs(elsewhere, 'ada');
    expect(await whoami(elsewhere)).toMatchObject({ person: first.person, workspace: first.workspace });
    expect(await service.sql('select email from person_identity where subject = $1', ['ada'])).toEqual([{ email: 'countess@example.org' }]);
  });

  describe('by someone who opened an invitation', () => {
    const invite = async (owner: TestTenant): Promise<string> =>
      (await service.call(owner, 'POST', '/api/v1/invitations', { body: { role: 'member' } })).json.url;
    const openLink = async (browser: Browser, link: string): Promise<void> => {
      const opened = await browser.request('GET', link);
      expect(opened.text).toContain('href="/join"');
      expect(opened.headers.get('set-cookie')).toMatch(/^plotline_join=[0-9A-Za-z]{30}; Path=\/; Max-Age=1800; HttpOnly; SameSite=Lax$/);
      expect((await browser.request('GET', `${publicUrl}/join`)).text).toContain('href="/sign-in?next=%2Fjoin"');
    };

    it('makes a new person a member there, without a workspace of their own', async () => {
      const owner = await service.tenant('Lab');
      const browser = newBrowser();
      await openLink(browser, await invite(owner));
      provider.accounts.set('newcomer', { name: 'New Comer' });
      const entered = await finishSignIn(
        browser,
        await browser.signInAtProvider(await startSignIn(browser, '/join'), 'newcomer', callback),
      );
      expect(entered.text).toContain('content="0;url=/"');
      expect(await whoami(browser)).toMatchObject({ person: { name: 'New Comer' }, workspace: { id: owner.tenantId }, role: 'member' });
      expect((await browser.request('GET', `${publicUrl}/join`)).status).toBe(404);
      const { json } = await service.call(owner, 'GET', '/api/v1/audit');
      const lines = json.entries.map(({ person, via, action, address }: Loose) => [person?.name, via, action, address]);
      expect(lines).toContainEqual(['New Comer', 'session', 'member.join', '127.0.0.0/24']);
      expect(lines).toContainEqual(['New Comer', 'session', 'session.start', '127.0.0.0/24']);
    });

    it('asks a known person, and lets them join with a button', async () => {
      const [owner, browser] = [await service.tenant('Lab'), newBrowser()];
      await signInAs(browser, 'known');
      const before = await whoami(browser);
      await browser.request('GET', await invite(owner));
      const page = await browser.request('GET', `${publicUrl}/join`);
      const token = /name="csrf_token" value="([^"]+)"/.exec(page.text)![1]!;
      const send = (form: Record<string, string>, headers: Record<string, string>) =>
        browser.request('POST', `${publicUrl}/join`, { form, headers });
      const ours = { origin: publicUrl, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' };
      expect((await send({ csrf_token: token }, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).status).toBe(404);
      expect((await send({}, ours)).status).toBe(403);
      expect(await whoami(browser)).toEqual(before);
      const sent = await send({ csrf_token: token }, ours);
      expect([sent.status, sent.headers.get('location')]).toEqual([303, '/']);
      expect(await whoami(browser)).toMatchObject({ person: before.person, workspace: { id: owner.tenantId }, role: 'member' });
    });
  });

  it('creates one person for six concurrent sign-ins', async () => {
    const windows = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const browser = newBrowser();
        return { browser, response: await browser.signInAtProvider(await startSignIn(browser), 'grace', callback) };
      }),
    );
    const entered = await Promise.all(windows.map(({ browser, response }) => finishSignIn(browser, response)));
    expect(entered.map(({ status }) => status)).toEqual(entered.map(() => 200));
    const people = await Promise.all(windows.map(async ({ browser }) => JSON.stringify(await whoami(browser))));
    expect(new Set(people).size).toBe(1);
  });

  it('trusts an email address only if the provider verified it, and identifies no one by it', async () => {
    provider.accounts.set('mallory', { name: 'Mallory', email: 'countess@example.org', email_verified: false });
    provider.accounts.set('trent', { name: 'Trent', email: 'countess@example.org', email_verified: true });
    provider.accounts.set('odd', { name: 'Odd', email: 'countess@example.org', email_verified: 'true' as never });
    const people = new Set<string>();
    for (const login of ['ada', 'mallory', 'trent', 'odd']) {
      const browser = newBrowser();
      await signInAs(browser, login);
      people.add((await whoami(browser)).person.id);
    }
    expect(people.size).toBe(4);
    const emails = await service.sql(
      `select subject, email from person_identity where subject in ('mallory', 'trent', 'odd') order by subject`,
    );
    expect(emails).toEqual([
      { subject: 'mallory', email: null },
      { subject: 'odd', email: null },
      { subject: 'trent', email: 'countess@example.org' },
    ]);
  });

  it('rejects a wrong, missing or foreign state, and keeps the attempt', async () => {
    const browser = newBrowser();
    const response = await browser.signInAtProvider(await startSignIn(browser), 'ada', callback);
    const other = newBrowser();
    const foreign = await startSignIn(other);
    for (const state of ['x', '', null, foreign.searchParams.get('state'), `${response.searchParams.get('state')}x`]) {
      const changed = new URL(response);
      if (state === null) changed.searchParams.delete('state');
      else changed.searchParams.set('state', state);
      await expectRejected(browser, await finishSignIn(browser, changed));
    }
    await expectRejected(other, await finishSignIn(other, response)); // an attempt to make someone sign in as another person
    await expectRejected(newBrowser(), await finishSignIn(newBrowser(), response));
    expect((await finishSignIn(browser, response)).status).toBe(200);
  });

  it('rejects a wrong nonce, a code of another sign-in, and an invented one', async () => {
    const browser = newBrowser();
    const asked = await startSignIn(browser);
    asked.searchParams.set('nonce', 'of somebody else');
    await expectRejected(browser, await finishSignIn(browser, await browser.signInAtProvider(asked, 'ada', callback)));

    const injected = newBrowser();
    const stolen = (await newBrowser().signInAtProvider(await startSignIn(newBrowser()), 'ada', callback)).searchParams.get('code')!;
    for (const code of [stolen, 'x', '']) {
      const response = await injected.signInAtProvider(await startSignIn(injected), 'trent', callback);
      response.searchParams.set('code', code);
      await expectRejected(injected, await finishSignIn(injected, response));
    }
  });

  it('accepts a code once', async () => {
    const browser = newBrowser();
    const response = await browser.signInAtProvider(await startSignIn(browser), 'ada', callback);
    const secret = browser.cookie('plots.example', 'plotline_oidc')!;
    const cookie = { cookie: `plotline_oidc=${secret}` };
    const all = await Promise.all(Array.from({ length: 6 }, () => newBrowser().request('GET', response, { headers: cookie })));
    expect(all.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400, 400, 400, 400, 400]);
    expect((await newBrowser().request('GET', response, { headers: cookie })).status).toBe(400);
  });

  it('rejects a response of another issuer (mix-up), and one without an issuer', async () => {
    for (const issuer of ['https://evil.example', `${provider.issuer}/`, null]) {
      const browser = newBrowser();
      const response = await browser.signInAtProvider(await startSignIn(browser), 'ada', callback);
      expect(response.searchParams.get('iss')).toBe(provider.issuer);
      if (issuer === null) response.searchParams.delete('iss');
      else response.searchParams.set('iss', issuer);
      await expectRejected(browser, await finishSignIn(browser, response));
    }
  });

  it('reports that the person declined, and never repeats text of a response', async () => {
    const browser = newBrowser();
    const state = (await startSignIn(browser)).searchParams.get('state')!;
    const rejected = new URLSearchParams({ error: 'access_denied', error_description: '<b>hello</b>', state, iss: provider.issuer });
    const response = await browser.request('GET', `${callback}?${rejected.toString()}`);
    expect([response.status, response.text.includes('declined'), response.text.includes('hello')]).toEqual([400, true, false]);
  });

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/a\\b', 'javascript:alert(1)'])(
    'redirects nowhere else: %s',
    async (next) => {
      const browser = newBrowser();
      const response = await finishSignIn(browser, await browser.signInAtProvider(await startSignIn(browser, next), 'ada', callback));
      expect(response.text).toContain('content="0;url=/"');
    },
  );

  it('redirects to the public address first, where the cookie belongs', async () => {
    const browser = newBrowser();
    const moved = await browser.request('GET', `${service.base}/sign-in/oidc?next=/sessions`);
    expect([moved.status, moved.headers.get('location')]).toEqual([303, `${publicUrl}/sign-in/oidc?next=%2Fsessions&moved=1`]);
    const ahead = await browser.request('GET', `${publicUrl}/sign-in/oidc`, { headers: { 'sec-purpose': 'prefetch' } });
    expect([ahead.status, ahead.headers.get('set-cookie')]).toEqual([503, null]);
    expect((await browser.request('HEAD', `${publicUrl}/sign-in/oidc`)).headers.get('set-cookie')).toBeNull();
  });

  it('lets someone who came through a link connect the provider, and no one take over another identity', async () => {
    const tenant = await service.tenant('Old Lab');
    const made = await service.call(tenant, 'POST', '/api/v1/sign-in-links', { body: { next: '/sessions' } });
    const connect = async (login: string) => {
      const browser = newBrowser();
      const printed = `${publicUrl}/sign-in/${await createSignInLink(service.store, tenant)}`;
      expect((await browser.request('GET', printed)).status).toBe(303);
      const { text } = await browser.request('GET', `${publicUrl}/sessions`);
      const token = /name="csrf_token" value="([^"]+)"/.exec(text)![1]!;
      const sent = await browser.request('POST', `${publicUrl}/sessions/connect`, {
        form: { csrf_token: token },
        headers: { origin: publicUrl },
      });
      expect(sent.status).toBe(200);
      const authorization = /class="button primary" href="([^"]+)"/.exec(sent.text)![1]!.replaceAll('&amp;', '&');
      return { browser, response: await finishSignIn(browser, await browser.signInAtProvider(authorization, login, callback)) };
    };
    expect(made.json.url).toMatch(/^http:\/\/plots\.example\/sign-in\/[0-9A-Za-z]{30}\?next=%2Fsessions$/);
    const taken = await connect('ada');
    expect([taken.response.status, taken.response.text.includes('Another person already uses that provider account')]).toEqual([400, true]);
    expect((await connect('owner')).response.status).toBe(200);
    const later = newBrowser();
    await signInAs(later, 'owner');
    expect(await whoami(later)).toMatchObject({ person: { id: tenant.personId }, workspace: { name: 'Old Lab' } });
  });

  it('keeps a browser that an access token signed in within the workspace of the token', async () => {
    const [tenant, other] = [await service.tenant('Of the token'), await service.tenant('Elsewhere')];
    await service.store.withTenant(other.tenantId, (scope) => insertMember(scope, tenant.personId, 'owner'));
    const { url } = (await service.call(tenant, 'POST', '/api/v1/sign-in-links', { body: {} })).json;
    const invitation = (await service.call(other, 'POST', '/api/v1/invitations', { body: { role: 'member' } })).json.url;
    const sendAll = async (link: string): Promise<number[]> => {
      const browser = newBrowser();
      expect((await browser.request('GET', link)).status).toBe(303);
      await browser.request('GET', invitation);
      const send = async (path: string, fields: Record<string, string> = {}): Promise<number> => {
        const { text } = await browser.request('GET', `${publicUrl}/sessions`);
        const form = { csrf_token: /name="csrf_token" value="([^"]+)"/.exec(text)![1]!, ...fields };
        return (await browser.request('POST', publicUrl + path, { form, headers: { origin: publicUrl } })).status;
      };
      return [
        await send('/sessions/connect'),
        await send('/workspaces', { name: 'New' }),
        await send('/workspaces/choose', { workspace: other.tenantId }),
        await send('/join'),
      ];
    };
    expect(await sendAll(url)).toEqual([403, 403, 403, 403]);
    const { workspaces } = (await service.call(tenant, 'GET', '/api/v1/workspaces')).json;
    expect(workspaces.map(({ name }: { name: string }) => name)).toEqual(['Of the token', 'Elsewhere']);
    expect(await sendAll(`${publicUrl}/sign-in/${await createSignInLink(service.store, tenant)}`)).toEqual([200, 303, 303, 409]); // already a member
  });

  it('allows for small clock differences, and rejects an ID token that expired long ago', async () => {
    const settings = oidcSettings(configOf(provider))!;
    const client = new OidcProvider(settings);
    const identityAt = async (skewMs: number) => {
      const store = { global: service.store.global, clock: new DatabaseClock(async () => Date.now() + skewMs) } as Store;
      const { url, secret } = await beginOidcSignIn(store, client, callback, { next: '/', owner: null });
      const response = await newBrowser().signInAtProvider(url, 'ada', callback);
      return finishOidcSignIn(store, client, response, secret).then(
        ({ identity }) => identity.subject,
        (error: { code: string }) => error.code,
      );
    };
    expect(await identityAt(50_000)).toBe('ada');
    expect(await identityAt(-50_000)).toBe('ada');
    expect(await identityAt(2 * 3_600_000)).toBe('sign-in-failed');
    expect(await identityAt(0)).toBe('ada'); // the clock was set
  });

  it('responds 503 while the provider is down, on both redirects, and recovers by itself', async () => {
    const browser = newBrowser();
    const response = await browser.signInAtProvider(await startSignIn(browser), 'ada', callback);
    const fresh = new SignInSettings(configOf(provider));
    await provider.stop();
    const back = await finishSignIn(browser, response);
    expect([back.status, back.headers.get('retry-after'), back.headers.get('set-cookie')]).toEqual([503, '2', null]);
    expect(back.text).toContain('Example ID is not available');
    const begin = () => beginOidcSignIn(service.store, fresh.provider!, callback, { next: '/', owner: null });
    await expect(begin()).rejects.toMatchObject({ code: 'provider-unavailable' });
    await provider.restart();
    await expect
      .poll(
        () =>
          begin().then(
            () => true,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true);
    expect((await signInAs(newBrowser(), 'ada')).status).toBe(200);
  });

  it('reports a wrong client secret to the operator, not to the person', async () => {
    const wrong = new SignInSettings({ ...configOf(provider), oidcClientSecret: 'wrong' });
    const { url, secret } = await beginOidcSignIn(service.store, wrong.provider!, callback, { next: '/', owner: null });
    const response = await newBrowser().signInAtProvider(url, 'ada', callback);
    const error = await finishOidcSignIn(service.store, wrong.provider!, response, secret).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({
      code: 'provider-unavailable',
      cause: { message: expect.stringContaining('PLOTLINE_OIDC_CLIENT_SECRET') },
    });
  });

  it('rejects a provider with another issuer name, and plain http to other hosts', async () => {
    const localhost = new SignInSettings({ ...configOf(provider), oidcIssuer: provider.issuer.replace('127.0.0.1', 'localhost') });
    const begun = beginOidcSignIn(service.store, localhost.provider!, callback, { next: '/', owner: null });
    await expect(begun).rejects.toMatchObject({ code: 'provider-unavailable' });
    for (const issuer of ['http://id.example', 'ftp://id.example', 'https://id.example/?x=1', 'https://user:pw@id.example', 'id.example'])
      expect(() => loadConfig({ PLOTLINE_OIDC_ISSUER: issuer, PLOTLINE_OIDC_CLIENT_ID: 'x' })).toThrow('PLOTLINE_OIDC_ISSUER');
    expect(() => new SignInSettings(loadConfig({ PLOTLINE_OIDC_ISSUER: 'https://id.example' }).signIn)).toThrow('PLOTLINE_OIDC_CLIENT_ID');
    expect(() => new SignInSettings(loadConfig({ PLOTLINE_OIDC_CLIENT_ID: 'x' }).signIn)).toThrow('PLOTLINE_OIDC_ISSUER');
  });

  it('rejects people without an invitation if configured, and accepts invited ones', async () => {
    const { store } = service;
    const identity = { issuer: provider.issuer, subject: 'guest', name: 'Guest', email: null };
    const people = async () => (await service.sql('select count(*)::int as n from person'))[0];
    const before = await people();
    await expect(enterByIdentity(store, identity, { ownWorkspace: false, max: 1 })).rejects.toMatchObject({ code: 'not-invited' });
    const bad = async (): Promise<TenantId> => {
      throw new Error('no such invitation');
    };
    await expect(enterByIdentity(store, identity, { ownWorkspace: false, max: 1, join: bad })).rejects.toThrow('no such invitation');
    expect(await people()).toEqual(before);
    const tenantId = tenantIdOf(randomUUID());
    await store.withTenant(tenantId, (scope) => insertWorkspace(scope, 'Inviting'));
    const join = async (personId: string): Promise<TenantId> => {
      await store.withTenant(tenantId, (scope) => insertMember(scope, personId, 'member'));
      return tenantId;
    };
    const entered = await enterByIdentity(store, identity, { ownWorkspace: false, max: 1, join });
    expect(entered.tenantId).toBe(tenantId);
    expect(await enterByIdentity(store, identity, { ownWorkspace: false, max: 1 })).toEqual(entered);
    await service.sql('delete from workspace_member where tenant_id = $1', [tenantId]);
    await expect(enterByIdentity(store, identity, { ownWorkspace: false, max: 1 })).rejects.toMatchObject({ code: 'not-invited' });
    expect((await enterByIdentity(store, identity, { ownWorkspace: true, max: 1 })).personId).toBe(entered.personId);
  });

  it('bounds the workspaces of a person who leaves and signs in repeatedly', async () => {
    const { store } = service;
    const identity = { issuer: provider.issuer, subject: 'collector', name: 'Collector', email: null };
    const enter = (max: number) => enterByIdentity(store, identity, { ownWorkspace: true, max });
    const goOut = (tenantId: TenantId, personId: string) => store.withTenant(tenantId, (scope) => removeMemberRow(scope, personId));
    const made = new Set<string>();
    for (let n = 0; n < 2; n++) {
      const { tenantId, personId } = await enter(2);
      made.add(tenantId);
      await goOut(tenantId, personId);
    }
    expect(made.size).toBe(2);
    await expect(enter(2)).rejects.toMatchObject({ code: 'quota-exceeded', extra: { quota: 'workspaces', used: 2 } });
    await expect(enter(0)).rejects.toMatchObject({ code: 'quota-exceeded' });
    await service.sql('delete from person_workspace where tenant_id = any($1)', [[...made]]); // they are deleted, and no longer count
    expect(made).not.toContain((await enter(0)).tenantId);
  });
});

describeWith(['postgres'], 'a service without a provider', () => {
  it('says how to sign in, and has no such route', async () => {
    const service = await startReadService();
    try {
      const page = await service.call(null, 'GET', '/sign-in');
      expect([page.status, page.text.includes('sign-in link'), page.text.includes('/sign-in/oidc')]).toEqual([200, true, false]);
      for (const path of ['/sign-in/oidc', '/sign-in/oidc/callback?code=x&state=y'])
        expect((await service.call(null, 'GET', path)).status).toBe(404);
    } finally {
      await service.close();
    }
  });
});
