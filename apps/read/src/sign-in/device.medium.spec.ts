import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSignInLink, createToken } from '#auth';
import { loadConfig } from '#config';
import { insertMember } from '#store';
import { describeWith } from '#testing';
import { Browser, type BrowserResponse } from '../testing/browser.ts';
import { addMember } from '../testing/people.ts';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { SignInSettings } from './sign-in-settings.ts';

/* Reliability test 38. */

const publicUrl = 'http://plots.example';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

describeWith(['postgres'], 'the device flow', () => {
  let service: ReadService;
  let owner: TestTenant;
  beforeAll(async () => {
    service = await startReadService(publicUrl, [], { signIn: new SignInSettings(loadConfig({}).signIn) });
    owner = await service.tenant();
  });
  afterAll(() => service?.close());

  const begin = async (body: object = { client_name: 'plotline on gpu-7', scope: 'read upload' }) =>
    (await service.call(null, 'POST', '/api/v1/device', { body })).json;
  const redeem = async (deviceCode: string) =>
    service.call(null, 'POST', '/api/v1/token', { body: { grant_type: deviceGrant, device_code: deviceCode } });
  /** Makes the polling interval appear to have passed. */
  const passInterval = () => service.sql(`update device_code set polled_at = now() - interval '1 hour' where polled_at is not null`);
  const signedIn = async (tenant = owner): Promise<Browser> => {
    const browser = new Browser({ 'plots.example': new URL(service.base).host });
    await browser.request('GET', `${publicUrl}/sign-in/${await createSignInLink(service.store, tenant)}`);
    return browser;
  };
  const look = (browser: Browser, code: string) => browser.request('GET', `${publicUrl}/device?user_code=${encodeURIComponent(code)}`);
  const fieldsOf = ({ text }: BrowserResponse): Record<string, string> =>
    Object.fromEntries(Array.from(text.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g), ([, name, value]) => [name!, value!]));
  const decide = async (browser: Browser, code: string, decision: string, headers: Record<string, string> = { origin: publicUrl }) =>
    browser.request('POST', `${publicUrl}/device`, { form: { ...fieldsOf(await look(browser, code)), decision }, headers });

  it('gives a program one token, after its person has seen the request and its origin, and approved', async () => {
    const begun = await begin();
    expect(begun).toEqual({
      device_code: expect.stringMatching(/^[0-9A-Za-z]{30}$/),
      user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
      verification_uri: `${publicUrl}/device`,
      verification_uri_complete: `${publicUrl}/device?user_code=${begun.user_code}`,
      expires_in: 900,
      interval: 5,
    });
    const waiting = await redeem(begun.device_code);
    expect([waiting.status, waiting.json.code, waiting.json.error]).toEqual([400, 'authorization-pending', 'authorization_pending']);
    const browser = await signedIn();
    const page = await look(browser, begun.user_code.toLowerCase().replace('-', ' '));
    for (const shown of [begun.user_code, 'plotline on gpu-7', 'Lab', 'Read experiments', 'Create and rename experiments', 'owner'])
      expect(page.text).toContain(shown);
    expect(page.text).not.toContain('Manage the workspace');
    expect([page.headers.get('referrer-policy'), page.headers.get('x-frame-options')]).toEqual(['same-origin', 'DENY']);
    expect((await decide(browser, begun.user_code, 'allow')).text).toContain('Device authorized');
    const [one, two] = await Promise.all([redeem(begun.device_code), redeem(begun.device_code)]);
    const given = [one, two].find(({ status }) => status === 200)!;
    const rejected = [one, two].find(({ status }) => status !== 200)!;
    expect(given.json).toEqual({
      access_token: expect.stringMatching(/^plt_/),
      token_type: 'Bearer',
      expires_in: 31_536_000,
      scope: 'read upload',
    });
    expect([rejected.json.code, rejected.json.error]).toEqual(['bad-request', 'invalid_grant']);
    expect((await redeem(begun.device_code)).json.error).toBe('invalid_grant');
    const program = { ...owner, token: given.json.access_token };
    expect((await service.call(program, 'GET', '/api/v1/whoami')).json).toMatchObject({
      person: { id: owner.personId },
      scopes: ['read', 'upload'],
    });
    expect((await service.call(program, 'GET', '/api/v1/tokens')).status).toBe(403);
    const { json } = await service.call(owner, 'GET', '/api/v1/tokens');
    expect(json.tokens).toContainEqual(expect.objectContaining({ name: 'plotline on gpu-7', scopes: ['read', 'upload'] }));
    expect(JSON.stringify(await service.sql('select t::text from device_code t'))).not.toContain(begun.device_code);
  });

  it('reports to a program that it was declined or expired, and gives it nothing', async () => {
    const browser = await signedIn();
    const rejected = await begin();
    expect((await decide(browser, rejected.user_code, 'refuse')).text).toContain('Request denied');
    expect((await redeem(rejected.device_code)).json).toMatchObject({ code: 'access-denied', error: 'access_denied' });
    expect((await redeem(rejected.device_code)).json.error).toBe('invalid_grant');
    for (const decision of [null, 'allow']) {
      const late = await begin();
      if (decision) await decide(browser, late.user_code, decision);
      await service.sql(`update device_code set expires_at = now()`);
      expect((await redeem(late.device_code)).json).toMatchObject({ code: 'device-code-expired', error: 'expired_token' });
      expect((await look(browser, late.user_code)).status).toBe(404);
      await service.sql(`update device_code set expires_at = now() - interval '11 minutes'`);
      await begin();
      expect((await redeem(late.device_code)).json.error).toBe('invalid_grant');
    }
    for (const code of ['', 'x', 'A'.repeat(30)]) expect((await redeem(code)).json.error).toBe('invalid_grant');
    expect((await redeem('A'.repeat(5000))).json.error).toBe('invalid_request'); // longer than any parameter may be
  });

  it('gives nothing by the approval of a removed member, even after they are back', async () => {
    const guest = await addMember(service, owner, 'admin', 'Guest');
    const ask = async (): Promise<string> => {
      const begun = await begin();
      expect((await decide(await signedIn(guest), begun.user_code, 'allow')).status).toBe(200);
      return begun.device_code;
    };
    const code = await ask();
    expect((await service.call(owner, 'DELETE', `/api/v1/members/${guest.personId}`)).status).toBe(204);
    expect((await redeem(code)).json.error).toBe('invalid_grant');
    await service.store.withTenant(owner.tenantId, (scope) => insertMember(scope, guest.personId, 'admin'));
    // Removed outside the API, after the approval.
    const kept = await ask();
    await service.sql(`delete from workspace_member where person_id = '${guest.personId}'`);
    expect((await redeem(kept)).json).toMatchObject({ code: 'access-denied', error: 'access_denied' });
    expect(await service.sql(`select 1 from access_token where person_id = '${guest.personId}' and revoked_at is null`)).toEqual([]);
  });

  it('slows down a program that polls too often, by five seconds each time', async () => {
    const begun = await begin();
    const interval = async () =>
      (await service.sql('select max(interval_seconds) as s from device_code where polled_at is not null'))[0]!.s;
    expect((await redeem(begun.device_code)).json.error).toBe('authorization_pending');
    expect((await redeem(begun.device_code)).json.error).toBe('slow_down');
    expect(await interval()).toBe(10);
    expect((await redeem(begun.device_code)).json.error).toBe('slow_down');
    expect(await interval()).toBe(15);
    await passInterval();
    expect((await redeem(begun.device_code)).json.error).toBe('authorization_pending');
  });

  it('prevents guessing: after ten wrong codes in a quarter of an hour, even valid ones are rejected', async () => {
    const guesser = await service.tenant('Guessers');
    const browser = await signedIn(guesser);
    const begun = await begin();
    const letters = 'BCDFGHJKLMNPQRSTVWXZ';
    const guess = (n: number) => `${'B'.repeat(6)}${letters[Math.floor(n / 20)]}${letters[n % 20]}`;
    expect((await look(browser, 'no code')).status).toBe(404); // cannot be a code, and is not counted
    const tries = await Promise.all(Array.from({ length: 30 }, (_, n) => look(browser, guess(n))));
    expect(tries.filter(({ status }) => status === 404)).toHaveLength(10);
    expect(tries.filter(({ status }) => status === 429)).toHaveLength(20);
    const blocked = await look(browser, begun.user_code);
    expect([blocked.status, blocked.headers.get('retry-after')]).toEqual([429, '900']);
    expect((await look(await signedIn(guesser), begun.user_code)).status).toBe(429); // another browser of the same person
    expect((await look(await signedIn(), begun.user_code)).status).toBe(200);
    await service.sql(`update code_attempt set since = now() - interval '16 minutes'`);
    for (let n = 0; n < 15; n++) expect((await look(browser, begun.user_code)).status).toBe(200); // correct ones are not counted
  });

  it('accepts the decision only from our own page in the same session', async () => {
    const browser = await signedIn();
    const begun = await begin();
    const fields = fieldsOf(await look(browser, begun.user_code));
    const send = (form: Record<string, string>, headers: Record<string, string>) =>
      browser.request('POST', `${publicUrl}/device`, { form: { ...form, decision: 'allow' }, headers });
    const { csrf_token: _, ...without } = fields;
    const stranger = fieldsOf(await look(await signedIn(await service.tenant('Other')), begun.user_code));
    for (const origin of ['https://evil.example', 'null']) expect((await send(fields, { origin })).status).toBe(404);
    const rejected = [
      await send(fields, {}),
      await send(without, { origin: publicUrl }),
      await send({ ...fields, csrf_token: stranger.csrf_token! }, { origin: publicUrl }),
      await send({ ...fields, csrf_token: '' }, { origin: publicUrl, 'sec-fetch-site': 'same-origin' }),
    ];
    expect(rejected.map(({ status }) => status)).toEqual(rejected.map(() => 403));
    expect((await send(fields, { host: 'evil.example', origin: 'http://evil.example' })).status).toBe(404);
    for (const site of ['cross-site', 'same-site'])
      expect((await send(fields, { origin: publicUrl, 'sec-fetch-site': site })).status).toBe(404);
    await passInterval();
    expect((await redeem(begun.device_code)).json.error).toBe('authorization_pending');
    expect((await send(fields, { origin: publicUrl, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await redeem(begun.device_code)).status).toBe(200);
    expect((await send(fields, { origin: publicUrl })).status).toBe(404); // already decided
  });

  it('redirects a signed-out person to sign in, and back', async () => {
    const browser = new Browser({ 'plots.example': new URL(service.base).host });
    const { user_code: code } = await begin();
    const sent = await look(browser, code);
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `/sign-in?next=%2Fdevice%3Fuser_code%3D${code}`]);
    const followed = await browser.request('GET', `${publicUrl}/device`, {
      headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    });
    expect([followed.status, followed.text.includes('http-equiv="refresh" content="0"')]).toEqual([200, true]);
    const odd = await look(browser, '"><script>alert(1)</script>');
    expect(odd.headers.get('location')).not.toContain('<');
  });

  it('gives a program no more rights than its approver has, and escapes its name', async () => {
    const hostile = '<img src=x onerror=alert(1)>\u202e"';
    const begun = await begin({ client_name: hostile, scope: 'admin read' });
    const page = await look(await signedIn(), begun.user_code);
    expect(page.text).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page.text).toContain('Manage the workspace');
    const narrow = { ...owner, token: await createToken(service.store, { ...owner, name: 'narrow', scopes: ['read', 'manage'] }) };
    const approve = (as: TestTenant) => service.call(as, 'POST', '/device', { body: { user_code: begun.user_code, decision: 'allow' } });
    expect((await approve(narrow)).status).toBe(403);
    const bounded = { ...owner, token: await createToken(service.store, { ...owner, name: 'bounded', experiments: ['A'.repeat(22)] }) };
    expect((await approve(bounded)).status).toBe(403);
    const exchanged = await service.call(null, 'POST', '/api/v1/token', {
      body: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        subject_token: owner.token,
      },
    });
    // The JWT expires in ten minutes, and the program's token in a year.
    expect((await approve({ ...owner, token: exchanged.json.access_token })).status).toBe(403);
    expect((await redeem(begun.device_code)).json.error).toBe('authorization_pending');
    expect((await approve(owner)).status).toBe(200);
    expect((await redeem(begun.device_code)).json.scope).toBe('admin read');
  });

  it('follows RFC 8628 and RFC 7009, with forms', async () => {
    const form = (path: string, fields: Record<string, string>) =>
      service.call(null, 'POST', path, {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      });
    const begun = (await form('/api/v1/device', { client_id: 'some client', scope: 'read' })).json;
    await decide(await signedIn(), begun.user_code, 'allow');
    const grant = { grant_type: deviceGrant, device_code: begun.device_code, client_id: 'some client' };
    const { json } = await form('/api/v1/token', grant);
    const program = { ...owner, token: json.access_token };
    expect((await service.call(program, 'GET', '/api/v1/whoami')).status).toBe(200);
    for (const token of [json.access_token, json.access_token, 'plt_nothing', ' ', owner.token.slice(0, -1)])
      expect((await form('/api/v1/revoke', { token, token_type_hint: 'access_token' })).status).toBe(200);
    expect((await service.call(program, 'GET', '/api/v1/whoami')).status).toBe(401); // immediately, in this process
    expect((await service.call(owner, 'GET', '/api/v1/whoami')).status).toBe(200);
    const twice = await service.call(null, 'POST', '/api/v1/revoke', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'token=a&token=b',
    });
    expect([twice.status, twice.json.code]).toEqual([400, 'bad-request']);
    for (const body of [
      { scope: 'everything' },
      { scope: '' },
      { tenant_id: owner.tenantId },
      { client_name: '' },
      { client_name: 'x'.repeat(101) },
    ])
      expect((await service.call(null, 'POST', '/api/v1/device', { body })).status).toBe(400);
  });

  it('creates sign-in links only for credentials of all scopes', async () => {
    const narrow = {
      ...owner,
      token: await createToken(service.store, { ...owner, name: 'no uploads', scopes: ['read', 'manage', 'admin'] }),
    };
    expect((await service.call(narrow, 'POST', '/api/v1/sign-in-links', { body: {} })).json.code).toBe('forbidden');
    const { json } = await service.call(owner, 'POST', '/api/v1/sign-in-links', { body: { next: '//evil.example' } });
    expect(json.url).toMatch(/^http:\/\/plots\.example\/sign-in\/[0-9A-Za-z]{30}$/);
  });
});
