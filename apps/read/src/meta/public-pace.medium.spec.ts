import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfig } from '#config';
import { ClientAddressSettings, liveRoutes, type LiveRoute } from '#http';
import { describeWith } from '#testing';
import { type ReadService, startReadService, type TestTenant } from '../testing/read-service.ts';
import { routeDocs } from './openapi.ts';

const perMinute = 3;

describeWith(['postgres'], 'routes without credentials', () => {
  let service: ReadService;
  let routes: LiveRoute[];
  let tenant: TestTenant;
  let places = 0;
  beforeAll(async () => {
    const env = { PLOTLINE_PUBLIC_REQUESTS_PER_MINUTE: String(perMinute), PLOTLINE_TRUSTED_PROXIES: '127.0.0.1' };
    service = await startReadService('http://plots.example', [], { addresses: new ClientAddressSettings(loadConfig(env).server) });
    routes = liveRoutes(service.app);
    tenant = await service.tenant();
  });
  afterAll(() => service?.close());

  const newPlace = (): string => `198.51.100.${++places}`;
  const secret = 'x'.repeat(30);
  const ask = (place: string, method: string, path: string, as: TestTenant | null = null) =>
    service.call(as, method, path.replace(':secret', secret), {
      headers: { 'x-forwarded-for': place },
      ...(method === 'POST' && { body: {} }),
    });

  it('have a rate limit for each address', async () => {
    const counted = routes.filter((route) => route.counted);
    expect(counted.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/sign-in/:secret', '/sign-in/oidc', '/api/v1/device', '/api/v1/token', '/s/:secret', '/embed/:secret']),
    );
    for (const { method, path } of counted) {
      const place = newPlace();
      for (let n = 1; n <= perMinute; n++) expect([path, (await ask(place, method, path)).status]).not.toContain(429);
      const rejected = await ask(place, method, path);
      expect([path, rejected.status]).toEqual([path, 429]);
      expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(rejected.headers.get('ratelimit-policy')).toContain(`"address";q=${perMinute};w=60`);
      expect([path, (await ask(newPlace(), method, path)).status]).not.toContain(429);
    }
  });

  it('share that limit, which excludes signed-in callers, probes and page files', async () => {
    const place = newPlace();
    for (let n = 0; n <= perMinute; n++) await ask(place, 'GET', '/sign-in');
    expect((await ask(place, 'POST', '/api/v1/device')).json).toMatchObject({ status: 429, code: 'rate-limited' });
    expect((await ask(place, 'GET', '/api/v1/whoami', tenant)).status).toBe(200);
    for (const { method, path, public: open, counted } of routes)
      // No file of the pages has this name.
      if (open && !counted) expect([path, (await ask(place, method, path)).status]).toEqual([path, path === '/assets/:file' ? 404 : 200]);
    expect(routes.filter((route) => route.public && !route.counted)).toHaveLength(8);
  });

  it('have a lower limit for requests that wait for a person, so that no address takes all entries', async () => {
    const alone = await startReadService('http://plots.example', [], {
      addresses: new ClientAddressSettings(loadConfig({ PLOTLINE_TRUSTED_PROXIES: '127.0.0.1' }).server),
    });
    try {
      const begin = (place: string) =>
        alone.call(null, 'POST', '/api/v1/device', { headers: { 'x-forwarded-for': place }, body: { client_name: 'x', scope: 'read' } });
      const responses = await Promise.all(Array.from({ length: 100 }, () => begin('198.51.100.1')));
      const started = responses.filter(({ status }) => status === 200).length;
      expect(started).toBeGreaterThanOrEqual(10);
      expect(started).toBeLessThan(50); // ten at once, and then one per six seconds
      for (const { status, json, headers } of responses.filter((response) => response.status !== 200)) {
        expect([status, json.code]).toEqual([429, 'rate-limited']);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect(headers.get('ratelimit-policy')).toContain('"programs";q=10;w=60');
      }
      expect((await begin('198.51.100.2')).status).toBe(200);
      expect(await alone.sql('select count(*)::int as n from device_code')).toEqual([{ n: started + 1 }]);
      // Other requests from this address are still accepted.
      expect((await alone.call(null, 'GET', '/sign-in', { headers: { 'x-forwarded-for': '198.51.100.1' } })).status).toBe(200);
    } finally {
      await alone.close();
    }
  });

  it('keep the limit against forged headers without a trusted proxy, and against other addresses of the same network', async () => {
    const alone = await startReadService('http://plots.example', [], {
      addresses: new ClientAddressSettings(loadConfig({ PLOTLINE_PUBLIC_REQUESTS_PER_MINUTE: String(perMinute) }).server),
    });
    try {
      const statuses: number[] = [];
      for (let n = 0; n <= perMinute; n++)
        statuses.push((await alone.call(null, 'GET', '/sign-in', { headers: { 'x-forwarded-for': newPlace() } })).status);
      expect(statuses).toEqual([...Array<number>(perMinute).fill(200), 429]);
    } finally {
      await alone.close();
    }
    for (let n = 0; n < perMinute; n++) await ask(`2001:db8:1:2::${n}`, 'GET', '/sign-in');
    expect((await ask('2001:db8:1:2:3:4:5:6', 'GET', '/sign-in')).status).toBe(429);
    expect((await ask('2001:db8:1:3::1', 'GET', '/sign-in')).status).toBe(200);
  });

  it('document it in OpenAPI', () => {
    // The upload process serves the handshake
    const documented = routeDocs
      .filter((doc) => doc.public && !doc.uncounted && doc.path !== '/api/uploader')
      .map(({ method, path }) => `${method} ${path}`);
    expect(documented.sort()).toEqual(
      routes
        .filter(({ counted }) => counted)
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    );
  });
});
