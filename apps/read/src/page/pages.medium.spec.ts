import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSignInLink } from '#auth';
import type { ExperimentId } from '#model';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { StoredRuns } from '../testing/stored-runs.ts';

const hostile = `<img src=x onerror=alert(1)>"'&\u202e</script><script>alert(2)</script>{{7*7}}`;

/** The Accept header of a browser that opens a URL. */
const asBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describeWith(['postgres'], 'pages for browsers without scripts', () => {
  let service: ReadService;
  let tenant: TestTenant;
  let id: ExperimentId;

  beforeAll(async () => {
    service = await startReadService();
    tenant = await service.tenant(hostile);
    id = (
      await service.call(tenant, 'POST', '/api/v1/experiments', {
        body: { name: hostile.slice(0, 100), description: hostile, labels: [hostile.slice(0, 100)] },
      })
    ).json.id;
    const runs = new StoredRuns(service, tenant, id);
    const run = await runs.run(hostile, {
      startTime: 1795261058.19,
      lastTime: 1795264658.2,
      status: hostile,
      hparams: { [hostile]: hostile, seed: 12_345_678_901_234_567_168, day: 20_240_101, lr: 2.375e-4 },
    });
    await runs.run('odd times', { startTime: 1e300, lastTime: Number.NaN });
    await runs.series(run, { tag: hostile, plugin: hostile, points: 12345 });
    await runs.series(run, { tag: '', points: 1, lastStep: '9223372036854775807' });
    const file = await runs.file(run, hostile, { bytes: 4096, pending: true });
    await runs.problem(run, file, 0, hostile);
  });
  afterAll(() => service?.close());

  const get = (path: string, as: TestTenant | null = tenant, headers: Record<string, string> = {}) =>
    service.call(as, 'GET', path, { headers });

  it('show title, counts, runs and tags, with everything escaped', async () => {
    const { status, text, headers } = await get(`/e/${id}?plain`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).not.toMatch(/<(img|script)/i);
    expect(text).not.toContain('\u202e');
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;');
    for (const shown of [
      '12,346 points',
      '2 runs',
      '2026-11-21 11:37',
      '1 h',
      '4.10 kB',
      '9223372036854775807',
      '12345678901234567168',
      '20240101',
      '0.0002375',
      '1 problem',
      'byte 0: ',
      'A sentence.',
      '(no name)',
      `/api/v1/experiments/${id}/receipt`,
    ])
      expect(text).toContain(shown);
  });

  it('run nothing and load nothing: one style, allowed by its hash', async () => {
    for (const path of ['/?plain', `/e/${id}?plain`]) {
      const { text, headers } = await get(path);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-robots-tag')).toBe('noindex');
      expect(text).not.toMatch(/<[^>]*\s(style|on[a-z]+)=|<link|<script/i);
      expect(text.match(/<style>/g)).toHaveLength(1);
    }
  });

  it('list experiments, and show a new workspace how to start', async () => {
    expect((await get('/?plain')).text).toContain(`href="/e/${id}"`);
    const fresh = await service.tenant('Fresh');
    const { text } = await get('/?plain', fresh);
    expect(text).toContain('No experiments yet');
    expect(text).toContain('PLOTLINE_SERVER=http://plots.example npm run -s plotline -- upload --logdir ./logs');
  });

  it('page through experiments', async () => {
    const many = await service.tenant('Many');
    for (let i = 0; i < 51; i++) await service.call(many, 'POST', '/api/v1/experiments', { body: { name: `exp-${i}.` } });
    const first = (await get('/?plain', many)).text;
    expect(first).not.toContain('exp-0.');
    const next = /href="(\/\?plain&amp;page_token=[A-Za-z0-9_-]+)"/.exec(first)?.[1]?.replace('&amp;', '&');
    const second = (await get(next!, many)).text;
    expect(second).toContain('exp-0.');
    expect(second).not.toContain('page_token');
  });

  it('show a 404 page to browsers only', async () => {
    const types = async (path: string, headers: Record<string, string>) => (await get(path, tenant, headers)).headers.get('content-type');
    expect(await types('/no/such/page', asBrowser)).toMatch(/^text\/html/);
    expect(await types('/no/such/page', {})).toMatch(/^application\/problem\+json/);
    expect(await types('/api/v1/no/such/thing', asBrowser)).toMatch(/^application\/problem\+json/);
  });

  it('show the same 404 page, without names, for experiments that the visitor may not see', async () => {
    const stranger = await service.tenant('Stranger');
    const pages = [
      await get(`/e/${id}`, null),
      await get(`/e/${id}`, stranger),
      await get('/e/AAAAAAAAAAAAAAAAAAAAAA', stranger),
      await get('/e/AAAAAAAAAAAAAAAAAAAAAA', null),
      await get('/e/x', tenant),
      await get('/', null),
      await get('/no/such/page', null, asBrowser),
      await get('/no/such/page', tenant, asBrowser),
    ];
    expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 404));
    const words = pages.map(({ text }) => text.replace(/\?next=[^"]*/, '')); // the requested URL
    expect(new Set(words).size).toBe(1);
    expect(words[0]).toMatch(/sign-in link/);
    expect(words[0]).not.toContain(id);
    expect(pages[0]!.headers.get('www-authenticate')).toBeNull();
  });

  it('redirect a browser from the root to the sign-in page', async () => {
    const { status, headers } = await service.raw('GET', '/', asBrowser);
    expect([status, headers.location]).toEqual([303, '/sign-in']);
    expect((await service.raw('GET', '/sign-in', asBrowser)).text).toContain('Sign in to Plotline');
    // A request from another site may lack the cookie; the second request sends it
    const sent = await service.raw('GET', '/', { ...asBrowser, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' });
    expect([sent.status, sent.text.includes('http-equiv="refresh"')]).toEqual([404, true]);
  });

  it('refresh once after a link on another site, because browsers withhold the cookie then', async () => {
    const { text } = await get(`/e/${id}`, null, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' });
    expect(text).toContain('http-equiv="refresh"');
    expect((await get(`/e/${id}`, null, { 'sec-fetch-site': 'same-origin' })).text).not.toContain('refresh');
  });

  it('redirect back to the requested page, and nowhere else', async () => {
    const way = async (path: string, method = 'GET') => {
      const { status, text } = await service.raw(method, path, { 'content-length': '0' });
      expect([path, status]).toEqual([path, 404]);
      return /href="(\/sign-in[^"]*)"/.exec(text)![1];
    };
    expect(await way(`/e/${id}`)).toBe(`/sign-in?next=${encodeURIComponent(`/e/${id}`)}`);
    expect(await way(`/e/${id}?run=a%20b`)).toBe(`/sign-in?next=${encodeURIComponent(`/e/${id}?run=a%20b`)}`);
    expect(await way('/sessions')).toBe('/sign-in?next=%2Fsessions');
    expect(await way('/')).toBe('/sign-in');
    expect(await way('/sign-out', 'POST')).toBe('/sign-in');
    for (const prefix of ['/s/', '/embed/', '/join/']) {
      const { text } = await service.raw('GET', `${prefix}${'x'.repeat(30)}`, { host: 'plots.example' });
      expect([prefix, text.includes('x'.repeat(30))]).toEqual([prefix, false]);
    }
    const forms = (await service.raw('GET', `/sign-in?next=${encodeURIComponent(`/e/${id}`)}`)).text;
    expect(forms).not.toContain('evil');
    for (const next of ['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', '/x\\..\\evil.example'])
      expect((await service.raw('GET', `/sign-in?next=${encodeURIComponent(next)}`)).text).not.toContain('evil');
  });

  it('sign a browser in once, to read', async () => {
    const link = `/sign-in/${await createSignInLink(service.store, tenant)}`;
    expect((await service.raw('HEAD', link)).status).toBe(200);
    expect((await get(link, null, { 'sec-purpose': 'prefetch;prerender' })).status).toBe(503);
    const elsewhere = await service.raw('GET', link, { host: 'evil.example' });
    expect([elsewhere.status, elsewhere.text.includes('http://plots.example')]).toEqual([400, true]);
    // The link may come from an attacker, whose account this browser would then use.
    for (const site of ['cross-site', 'same-site']) {
      const sent = await get(`${link}?next=/e/${id}`, null, { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' });
      expect([sent.status, sent.headers.get('set-cookie'), sent.text.includes('http-equiv="refresh"')]).toEqual([200, null, false]);
      expect(sent.text).toContain(`href="${link}?next=${encodeURIComponent(`/e/${id}`)}"`);
    }
    // Over plain http, browsers send only the Referer.
    for (const referer of ['http://evil.example/page', 'https://evil.example', 'http://plots.example.evil.example/', 'about:client', 'x']) {
      const sent = await get(link, null, { referer });
      expect([sent.status, sent.headers.get('set-cookie')], referer).toEqual([200, null]);
    }
    const first = await get(`${link}?next=/e/${id}`, null, { 'sec-fetch-site': 'same-origin', referer: 'http://evil.example/' });
    expect([first.status, first.headers.get('location')]).toEqual([303, `/e/${id}`]);
    const cookie = first.headers.get('set-cookie')!;
    expect(cookie).toMatch(/^plotline_session=[0-9A-Za-z]{30}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
    const again = await get(link, null);
    expect([again.status, again.headers.get('set-cookie')]).toEqual([404, null]);
    expect(again.text).toContain('already used');
    const session = { cookie: cookie.split(';')[0]! };
    expect((await get(`/e/${id}`, null, session)).status).toBe(200);
    expect((await service.call(null, 'DELETE', `/api/v1/experiments/${id}`, { headers: session })).status).toBe(403);
  });

  it('sign in a browser that comes from an own page, according to Referer alone', async () => {
    const link = `/sign-in/${await createSignInLink(service.store, tenant)}`;
    expect((await get(link, null, { referer: 'http://plots.example/sign-in' })).status).toBe(303);
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/a\\b',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/%0d%0aSet-Cookie:x=1',
    '',
  ])('redirect nowhere else after signing in: %s', async (next) => {
    const link = `/sign-in/${await createSignInLink(service.store, tenant)}?next=${encodeURIComponent(next)}`;
    const location = (await get(link, null)).headers.get('location')!;
    expect(new URL(location, 'http://plots.example').origin).toBe('http://plots.example');
    expect(location).toMatch(/^\/(?!\/)/);
  });

  it.each(['x', 'A'.repeat(30), '%00', '..%2f', 'A'.repeat(5000)])('do not sign in by %s', async (secret) => {
    const { status, headers } = await get(`/sign-in/${secret}`, null);
    expect([status, headers.get('set-cookie')]).toEqual([404, null]);
  });
});

describeWith(['postgres'], 'a service behind https', () => {
  it('marks its cookie as secure and sets HSTS', async () => {
    const service = await startReadService('https://plots.example/plotline/');
    try {
      const tenant = await service.tenant();
      const { headers } = await service.call(null, 'GET', `/sign-in/${await createSignInLink(service.store, tenant)}`);
      expect(headers.get('set-cookie')).toMatch(/; Secure$/);
      expect(headers.get('location')).toBe('/plotline/');
      const link = `/sign-in/${await createSignInLink(service.store, tenant)}`;
      const [set] = (await service.raw('GET', link, { host: 'plots.example' })).headers['set-cookie']!;
      expect(set).toMatch(/^__Host-plotline_session=[0-9A-Za-z]{30}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/);
      const cookie = set!.split(';')[0]!;
      expect((await service.raw('GET', '/', { host: 'plots.example', cookie })).status).toBe(200);
      expect((await service.raw('GET', '/', { host: 'plots.example', cookie: cookie.replace('__Host-', '') })).status).toBe(404);
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
      const { json } = await service.call(tenant, 'POST', '/api/v1/experiments');
      expect(json.url).toBe(`https://plots.example/plotline/e/${json.id}`);
      expect((await service.call(tenant, 'GET', '/')).text).toContain(`href="/plotline/e/${json.id}"`);
    } finally {
      await service.close();
    }
  });
});
