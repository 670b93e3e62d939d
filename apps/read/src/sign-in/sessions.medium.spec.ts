import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createSignInLink } from '#auth';
import { loadConfig } from '#config';
import { describeWith } from '#testing';
import { Browser } from '../testing/browser.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { SignInSettings } from './sign-in-settings.ts';

const publicUrl = 'http://plots.example';
const ours = { origin: publicUrl, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' };

describeWith(['postgres'], 'browser sessions', () => {
  let service: ReadService;
  let owner: TestTenant;
  beforeAll(async () => {
    service = await startReadService(publicUrl, [], {
      signIn: new SignInSettings(loadConfig({ PLOTLINE_SESSION_HOURS: '48', PLOTLINE_SESSION_IDLE_HOURS: '2' }).signIn),
    });
  });
  beforeEach(async () => {
    owner = await service.tenant();
  });
  afterAll(() => service?.close());

  const signedIn = async (tenant = owner): Promise<Browser> => {
    const browser = new Browser({ 'plots.example': new URL(service.base).host });
    await browser.request('GET', `${publicUrl}/sign-in/${await createSignInLink(service.store, tenant)}`);
    return browser;
  };
  const home = async (browser: Browser): Promise<number> => (await browser.request('GET', `${publicUrl}/`)).status;
  const csrfTokenOf = async (browser: Browser): Promise<string> =>
    /name="csrf_token" value="([^"]+)"/.exec((await browser.request('GET', `${publicUrl}/sessions`)).text)![1]!;
  const post = async (browser: Browser, path: string, form: Record<string, string> = {}, headers: Record<string, string> = ours) =>
    browser.request('POST', `${publicUrl}${path}`, { form: { csrf_token: await csrfTokenOf(browser), ...form }, headers });
  /**
   * Uses a browser that this process has not seen yet, to avoid results cached for five seconds.
   */
  const secretOf = (browser: Browser): string => browser.cookie('plots.example', 'plotline_session')!;

  it('last as long as the operator configures, and expire when unused', async () => {
    const browser = await signedIn();
    const [session] = await service.sql(
      `select idle_seconds, extract(epoch from expires_at - created_at)::int as seconds from browser_session where session_hash = sha256($1::bytea)`,
      [secretOf(browser)],
    );
    expect(session).toEqual({ idle_seconds: 7_200, seconds: 172_800 });
    const unused = await signedIn();
    await service.sql(`update browser_session set seen_at = now() - interval '2 hours 1 second' where session_hash = sha256($1::bytea)`, [
      secretOf(unused),
    ]);
    expect([await home(browser), await home(unused)]).toEqual([200, 404]);
    const old = await signedIn();
    await service.sql(`update browser_session set expires_at = now() where session_hash = sha256($1::bytea)`, [secretOf(old)]);
    expect(await home(old)).toBe(404);
  });

  it('end at once when their person signs out, with the cookie', async () => {
    const browser = await signedIn();
    const secret = secretOf(browser);
    expect(await home(browser)).toBe(200);
    const out = await post(browser, '/sign-out');
    expect([out.status, out.headers.get('location')]).toEqual([303, '/sign-in']);
    expect(out.headers.get('set-cookie')).toBe('plotline_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict');
    expect(secretOf(browser)).toBeNull();
    expect((await browser.request('GET', `${publicUrl}/`, { headers: { cookie: `plotline_session=${secret}` } })).status).toBe(404);
    expect(await service.sql('select 1 from browser_session where session_hash = sha256($1::bytea)', [secret])).toEqual([]);
  });

  it('are listed for their person, who can end each of them, and no others', async () => {
    const [here, there, third] = [await signedIn(), await signedIn(), await signedIn()];
    const page = (await here.request('GET', `${publicUrl}/sessions`)).text;
    expect(page.match(/this browser/g)).toHaveLength(1);
    const ids = Array.from(page.matchAll(/name="session_id" value="([^"]+)"/g), ([, id]) => id!);
    expect(ids).toHaveLength(2);
    const stranger = await signedIn(await service.tenant('Other'));
    expect((await post(stranger, '/sessions/end', { session_id: ids[0]! })).status).toBe(303);
    expect(await service.sql('select count(*)::int as n from browser_session where person_id = $1', [owner.personId])).toEqual([{ n: 3 }]);
    expect((await post(here, '/sessions/end', { session_id: ids[0]! })).status).toBe(303);
    expect((await post(here, '/sessions/end', { session_id: 'x' })).status).toBe(400);
    expect(await service.sql('select count(*)::int as n from browser_session where person_id = $1', [owner.personId])).toEqual([{ n: 2 }]);
    expect((await post(here, '/sessions/end')).status).toBe(303);
    expect([await home(here), await home(there), await home(third)]).toEqual([200, 404, 404]);
  });

  it('reject changes from another site, another host, or without the form token (reliability test 41)', async () => {
    const browser = await signedIn();
    const token = await csrfTokenOf(browser);
    const stranger = await csrfTokenOf(await signedIn(await service.tenant('Other')));
    const hostile: [string, Record<string, string>, Record<string, string>][] = [
      [
        'another site',
        { csrf_token: token },
        { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
      ],
      [
        'a sibling domain',
        { csrf_token: token },
        { origin: 'https://evil.plots.example', 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate' },
      ],
      ['a sandboxed frame', { csrf_token: token }, { origin: 'null', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
      ['an old browser, elsewhere', { csrf_token: token }, { origin: 'https://evil.example' }],
      ['an old browser, nowhere', { csrf_token: token }, {}],
      ['https instead of http', { csrf_token: token }, { origin: 'https://plots.example' }],
      [
        'a name that was made to point here',
        { csrf_token: token },
        { host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
      ],
      ['no token', {}, ours],
      ['a token of another session', { csrf_token: stranger }, ours],
      ['a token cut short', { csrf_token: token.slice(0, -1) }, ours],
    ];
    for (const [what, form, headers] of hostile) {
      for (const path of ['/sign-out', '/sessions/end', '/sessions/connect']) {
        const { status, headers: responded } = await browser.request('POST', `${publicUrl}${path}`, { form, headers });
        expect([what, path, [403, 404].includes(status), responded.get('set-cookie')]).toEqual([what, path, true, null]);
      }
    }
    const { json: made } = await service.call(owner, 'POST', '/api/v1/experiments', { body: { name: 'stays' } });
    const cookie = `plotline_session=${secretOf(browser)}`;
    for (const [, , headers] of hostile.slice(0, 7)) {
      const { status } = await service.raw('DELETE', `/api/v1/experiments/${made.id}`, { host: 'plots.example', ...headers, cookie });
      expect([401, 403]).toContain(status);
    }
    expect((await service.call(owner, 'GET', `/api/v1/experiments/${made.id}`)).status).toBe(200);
    expect(await home(browser)).toBe(200);
    expect(
      (await service.raw('OPTIONS', '/api/v1/experiments', { origin: 'https://evil.example', 'access-control-request-method': 'POST' }))
        .status,
    ).toBe(401);
    const read = await browser.request('GET', `${publicUrl}/api/v1/whoami`, { headers: { origin: 'https://evil.example' } });
    expect(read.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('allow changes from our own pages, with the rights of their person', async () => {
    const browser = await signedIn();
    const { json: made } = await service.call(owner, 'POST', '/api/v1/experiments', { body: { name: 'old' } });
    const cookie = `plotline_session=${secretOf(browser)}`;
    const removed = await service.raw('DELETE', `/api/v1/experiments/${made.id}`, {
      ...ours,
      'sec-fetch-mode': 'cors',
      host: 'plots.example',
      cookie,
    });
    expect(removed.status).toBe(204);
    expect((await service.raw('GET', '/api/v1/tokens', { host: 'plots.example', cookie })).status).toBe(200);
  });

  it('end within five seconds of the membership of their person', async () => {
    const browser = await signedIn();
    await service.sql('delete from workspace_member where person_id = $1', [owner.personId]);
    expect(await home(browser)).toBe(404);
  });
});
