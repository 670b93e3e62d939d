import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { Body, Controller, Get, Global, Headers, Module, Param, Patch, Post, Req, Res } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createSignInLink, createToken, firstStart, type Owner, signIn } from '#auth';
import { ownerOf } from '#auth/testing';
import { loadConfig } from '#config';
import { Problem } from '#model';
import { insertMember, insertPerson, Store } from '#store';
import { createLogger, startTracing } from '#telemetry';
import { createTestDatabase, describeWith, OtlpReceiver, type TestDatabase } from '#testing';
import { checkRoutes, type LiveRoute } from './routes.ts';
import {
  Caller,
  ClientAddressSettings,
  createHttpApp,
  Does,
  HttpModule,
  Idempotency,
  Idempotent,
  type IdempotentRequest,
  Page,
  parse,
  Public,
  PublicUrl,
  Reads,
  StreamsBody,
} from './index.ts';

const thingBody = z.strictObject({ name: z.string().max(10).optional(), step: z.union([z.number(), z.string()]).optional() });

@Controller()
class ThingController {
  readonly #idempotency: Idempotency;
  made = 0;

  constructor(idempotency: Idempotency) {
    this.#idempotency = idempotency;
  }

  @Public()
  @Get('healthz')
  health() {
    return { status: 'ok' };
  }

  @Does('experiment.read')
  @Get('api/v1/things/:id')
  read(@Caller() caller: Caller, @Param('id') id: string) {
    if (id === 'broken') throw new Error('secret words of the operator');
    if (id === 'missing') throw new Problem('experiment-not-found', 'No.');
    if (id === 'full') throw new Problem('insufficient-storage', 'Full.', { cause: new Error('disk'), extra: { free: 1 } });
    return { id, caller: { ...caller, scopes: [...caller.scopes] } };
  }

  @Page()
  @Does('experiment.read')
  @Get('e/:id')
  page() {
    throw new Problem('experiment-not-found', 'the name of a secret <b>experiment</b>');
  }

  @Reads()
  @Does('experiment.read')
  @Post('api/v1/query')
  query(@Body() body: unknown) {
    return parse(thingBody, body);
  }

  @Does('experiment.create')
  @Post('api/v1/things')
  make(
    @Caller() caller: Caller,
    @Idempotent() key: IdempotentRequest,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { name } = parse(thingBody, body);
    return this.#idempotency.run(caller.tenantId, key, response, async () => {
      this.made++;
      if (name === 'fail') throw new Problem('bad-request', 'failed');
      return { status: 201, body: { number: this.made } };
    });
  }

  @StreamsBody()
  @Does('experiment.upload')
  @Patch('api/v1/raw')
  async raw(@Req() request: Request, @Headers('content-type') type: string) {
    let bytes = 0;
    for await (const piece of request) bytes += (piece as Buffer).length;
    return { bytes, type };
  }
}

/** Lines that this file's processes logged, except Nest's. */
const logged: Record<string, unknown>[] = [];
const listen = (line: unknown): void => void (typeof line === 'object' && logged.push(line as Record<string, unknown>));
const logger = { log: () => undefined, error: listen, warn: listen, debug: listen, verbose: () => undefined };

async function startApp(store: Store, trustedProxies: string[] = []): Promise<{ app: NestExpressApplication; base: string }> {
  @Global()
  @Module({
    providers: [
      { provide: Store, useValue: store },
      { provide: PublicUrl, useValue: new PublicUrl('https://plots.example') },
      { provide: ClientAddressSettings, useValue: new ClientAddressSettings({ ...loadConfig({}).server, trustedProxies }) },
    ],
    exports: [Store, PublicUrl, ClientAddressSettings],
  })
  class PartsModule {}
  @Module({ imports: [PartsModule, HttpModule], controllers: [ThingController] })
  class TestModule {}
  const app = await createHttpApp(TestModule, { logger });
  await app.listen(0, '127.0.0.1');
  return { app, base: `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}` };
}

/** The origin of this file's requests, as in the audit log. */
const here = { requestId: expect.any(String) as string, address: '127.0.0.0/24' };

describeWith(['postgres'], 'the HTTP edge', () => {
  let database: TestDatabase;
  let store: Store;
  let app: NestExpressApplication;
  let base: string;
  let owner: Owner;
  let token: string;
  let cookie: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl });
    const start = await firstStart(store, { personName: 'Ada', workspaceName: 'Lab', tokenName: 'cli' });
    owner = start.owner;
    token = start.token!;
    const session = await signIn(store, await createSignInLink(store, owner));
    cookie = `other=1; plotline_session=${session!.secret}`;

    ({ app, base } = await startApp(store));
  });
  afterAll(async () => {
    await app?.close();
    await store?.close();
    await database?.drop();
  });

  const call = async (method: string, path: string, { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {}) => {
    const response = await fetch(base + path, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: text.startsWith('{') ? JSON.parse(text) : null };
  };
  /** Node's own client, for paths and headers that fetch would normalize. */
  const raw = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const { port } = new URL(base);
      const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.on('error', reject).on('end', () => resolve({ status: response.statusCode!, text }));
      });
      sent.on('error', reject).end();
    });

  it('accepts a request id from a trusted proxy only, and only a valid one', async () => {
    const idOf = async (at: string, id: string): Promise<string> => {
      const response = await fetch(`${at}/api/v1/things/missing`, { headers: { authorization: `Bearer ${token}`, 'x-request-id': id } });
      const { request_id: told } = (await response.json()) as { request_id: string };
      expect(response.headers.get('x-request-id')).toBe(told);
      return told;
    };
    const random = /^[A-Za-z0-9_-]{16}$/;
    const behind = await startApp(store, ['127.0.0.0/8']);
    try {
      expect(await idOf(behind.base, 'from-the-proxy-1')).toBe('from-the-proxy-1');
      expect(await idOf(behind.base, 'bad id\twith spaces')).toMatch(random);
    } finally {
      await behind.app.close();
    }
    expect(await idOf(base, 'from-nobody-we-know')).toMatch(random);
  });

  it('records requests as spans when traces are exported, and continues only the trace of a trusted proxy', async () => {
    const receiver = await OtlpReceiver.start();
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', receiver.url).stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
    const tracing = await startTracing(process.env, 'test', createLogger({ level: 'silent', format: 'json' }));
    const behind = await startApp(store, ['127.0.0.0/8']);
    try {
      const offered = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`;
      const headers = { authorization: `Bearer ${token}`, traceparent: offered };
      const proxied = await fetch(`${behind.base}/api/v1/things/1?q=value-of-user`, { headers });
      const direct = await fetch(`${base}/api/v1/things/broken`, { headers });
      await behind.app.close(); // the spans of its requests have ended
      await vi.waitFor(() => expect(logged.some(({ request_id: id }) => id === direct.headers.get('x-request-id'))).toBe(true));
      await tracing!.close();
      const spanOf = ({ headers: sent }: globalThis.Response) =>
        receiver.spans.find(({ attributes }) => attributes['plotline.request_id'] === sent.get('x-request-id'));
      expect(spanOf(proxied)).toMatchObject({
        name: 'GET /api/v1/things/:id',
        traceId: 'c'.repeat(32),
        parentSpanId: 'd'.repeat(16),
        failed: false,
        attributes: { 'http.route': '/api/v1/things/:id', 'http.response.status_code': 200 },
      });
      const broken = spanOf(direct)!;
      expect(broken).toMatchObject({
        parentSpanId: '',
        failed: true,
        attributes: { 'error.type': 'internal', 'plotline.problem': 'internal' },
      });
      expect(broken.traceId).not.toBe('c'.repeat(32));
      for (const secret of [token, 'value-of-user', 'secret words']) expect(receiver.text).not.toContain(secret);
    } finally {
      vi.unstubAllEnvs();
      await tracing?.close();
      await receiver.close();
    }
  });

  it('accepts a token and identifies its person', async () => {
    const { status, json, headers } = await call('GET', '/api/v1/things/1');
    expect(status).toBe(200);
    const tokenId = expect.any(String) as string;
    expect(json.caller).toEqual({ ...ownerOf(owner), scopes: ['read', 'upload', 'manage', 'admin'], origin: here, tokenId });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('responds with the same 401 to every invalid credential, also at unknown addresses', async () => {
    const wrong = [
      '',
      'Bearer',
      'Bearer x',
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      `Basic ${btoa('a:b')}`,
      `bearer plt_${'0'.repeat(36)}`,
    ];
    const paths = [
      '/api/v1/things/1',
      '/nothing',
      '/',
      '/api/v1/',
      '/api/v1/experiments/x/y/z',
      '/e',
      '/HEALTHZ',
      '/healthz/',
      '//healthz',
    ];
    const responses = new Set<string>();
    for (const authorization of wrong) {
      for (const path of paths) {
        const { status, text } = await raw(path, authorization === '' ? {} : { authorization });
        expect([path, status]).toEqual([path, 401]);
        responses.add(JSON.stringify({ ...JSON.parse(text), request_id: null }));
      }
    }
    expect(responses.size).toBe(1);
    expect([...responses][0]).not.toContain('secret');
  });

  it.each([
    '/api/v1//things/1',
    '//api/v1/things/1',
    '/api/v1/things/1/',
    '/API/v1/things/1',
    '/api/v1/Things/1',
    '/api%2fv1/things/1',
    '/api/v1/things%2f1',
    '/api/v1/things;a/1',
    '/./api/v1/things/1',
    '/x/../api/v1/things/1',
    '/api/v1/things/%',
    '/%00',
    '/api/v1/things/1%',
    '/e/x/',
  ])('rejects %s at the guard', async (path) => {
    for (const method of ['GET', 'POST', 'PATCH', 'HEAD', 'OPTIONS', 'PUT', 'PROPFIND']) {
      expect((await raw(path, {}, method)).status).toBe(401);
    }
    expect([404, 400]).toContain((await raw(path, { authorization: `Bearer ${token}` })).status);
  });

  it('responds to OPTIONS as to any other method', async () => {
    expect((await call('OPTIONS', '/api/v1/things/1', { headers: { authorization: '' } })).status).toBe(401);
    expect((await call('OPTIONS', '/api/v1/things/1')).status).toBe(405);
  });

  it('responds 405 with the allowed methods to another method at a known address', async () => {
    const { status, json, headers } = await call('DELETE', '/api/v1/things/1');
    expect([status, json.code]).toEqual([405, 'method-not-allowed']);
    expect(headers.get('allow')).toBe('GET, HEAD');
  });

  it('writes problems with code, detail and request id, without their causes', async () => {
    const missing = await call('GET', '/api/v1/things/missing');
    expect(missing.status).toBe(404);
    expect(missing.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(missing.json).toEqual({
      type: 'urn:plotline:problem:experiment-not-found',
      title: 'No such experiment',
      status: 404,
      code: 'experiment-not-found',
      detail: 'No.',
      request_id: missing.headers.get('x-request-id'),
    });
    const broken = await call('GET', '/api/v1/things/broken');
    expect([broken.status, broken.json.code]).toEqual([500, 'internal']);
    expect(broken.text).not.toContain('secret words');
    expect(broken.json.request_id).toMatch(/^[A-Za-z0-9_-]{16}$/);
    const full = await call('GET', '/api/v1/things/full');
    expect([full.status, full.json.free, full.headers.get('retry-after')]).toEqual([507, 1, '30']);
  });

  it('logs each failed request in one line with the request id that the client received, and no bodies or secrets', async () => {
    const marker = `marker-${randomUUID()}`;
    const line = async (method: string, path: string, body?: string) => {
      const response = await call(method, `${path}?q=${marker}`, body === undefined ? {} : { body });
      expect(response.json.request_id).toBe(response.headers.get('x-request-id'));
      const own = () => logged.filter(({ request_id: id }) => id === response.json.request_id);
      await expect.poll(own).toHaveLength(1); // logged after the client has the response
      return own()[0]!;
    };
    const common = { method: 'GET', route: '/api/v1/things/:id', duration_ms: expect.any(Number) as number };
    const broken = await line('GET', '/api/v1/things/broken');
    expect(broken).toMatchObject({ ...common, message: 'A request failed.', status: 500, code: 'internal', path: '/api/v1/things/broken' });
    expect(broken['err']).toMatchObject({ message: 'secret words of the operator' });
    expect(await line('GET', '/api/v1/things/full')).toMatchObject({
      ...common,
      status: 507,
      code: 'insufficient-storage',
      detail: 'Full.',
    });
    const missing = await line('GET', '/api/v1/things/missing');
    expect(missing).toMatchObject({ ...common, message: 'A request was rejected.', status: 404, code: 'experiment-not-found' });
    expect(await line('GET', `/api/v1/none/${marker}`)).toMatchObject({ route: 'none', status: 404, code: 'not-found' });
    expect(await line('POST', '/api/v1/query', JSON.stringify({ [marker]: marker }))).toMatchObject({ status: 400, code: 'unknown-field' });
    const before = logged.length;
    expect((await call('GET', '/api/v1/things/1')).status).toBe(200);
    expect(logged).toHaveLength(before);
    const text = logged.map((one) => inspect(one)).join('\n');
    expect([text.includes(marker), text.includes(token)]).toEqual([false, false]);
  });

  it('rejects unknown fields by name, and invalid fields with their path', async () => {
    const unknown = await call('POST', '/api/v1/query', { body: { name: 'a', tenant_id: 'x', role: 'owner' } });
    expect([unknown.status, unknown.json.code, unknown.json.fields]).toEqual([400, 'unknown-field', ['tenant_id', 'role']]);
    const proto = await call('POST', '/api/v1/query', { body: '{"__proto__":{"name":"x"}}' });
    expect([proto.status, proto.json.code]).toEqual([400, 'unknown-field']);
    const wrong = await call('POST', '/api/v1/query', { body: { name: 'x'.repeat(11) } });
    expect([wrong.status, wrong.json.code, wrong.json.errors[0].field]).toEqual([400, 'bad-request', 'name']);
  });

  it('parses JSON bodies strictly, and keeps integers beyond float64', async () => {
    expect((await call('POST', '/api/v1/query', { body: '{"step":9223372036854775807}' })).json).toEqual({ step: '9223372036854775807' });
    expect((await call('POST', '/api/v1/query', { body: '{"step":9007199254740991}' })).json).toEqual({ step: 9007199254740991 });
    expect((await call('POST', '/api/v1/query')).json).toEqual({});
    expect((await call('POST', '/api/v1/query', { body: '{"name":' })).json.code).toBe('bad-request');
    for (const deep of [
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      `${'{"name":'.repeat(5_000)}1234567890123456789${'}'.repeat(5_000)}`,
    ]) {
      const { status, json } = await call('POST', '/api/v1/query', { body: deep });
      expect([status, json.code, json.detail]).toEqual([400, 'bad-request', expect.stringContaining('nested more than 64 deep')]);
    }
    const flat = await call('POST', '/api/v1/query', { body: JSON.stringify({ name: `\\"${'['.repeat(1_000)}` }) });
    expect(flat.json.errors[0].field).toBe('name'); // brackets in a text only make it too long
    expect((await call('POST', '/api/v1/query', { body: '[]' })).json.code).toBe('bad-request');
    expect(
      (await call('POST', '/api/v1/query', { body: 'name=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } })).json.code,
    ).toBe('unsupported-media-type');
    expect((await call('POST', '/api/v1/query', { body: {}, headers: { 'content-encoding': 'gzip' } })).json.code).toBe(
      'unsupported-encoding',
    );
    expect((await call('POST', '/api/v1/query', { body: `{"name":"${'x'.repeat(5_000_000)}"}` })).status).toBe(413);
  });

  it('does not parse bodies that the handler reads itself, whatever their type', async () => {
    const { json } = await call('PATCH', '/api/v1/raw', { body: '{"not":', headers: { 'content-type': 'application/json' } });
    expect(json).toEqual({ bytes: 7, type: 'application/json' });
  });

  it('repeats the response of a repeated POST, and marks it', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await call('POST', '/api/v1/things', { headers, body: { name: 'a' } });
    const again = await call('POST', '/api/v1/things', { headers, body: { name: 'a' } });
    expect([first.status, again.status, again.json]).toEqual([201, 201, first.json]);
    expect([first.headers.get('idempotency-replayed'), again.headers.get('idempotency-replayed')]).toEqual([null, 'true']);
    const other = await call('POST', '/api/v1/things', { headers, body: { name: 'b' } });
    expect([other.status, other.json.code]).toEqual([422, 'idempotency-key-reused']);
    expect((await call('POST', '/api/v1/things', { body: { name: 'a' } })).json).not.toEqual(first.json);
    expect((await call('POST', '/api/v1/things', { headers: { 'idempotency-key': 'a b' }, body: {} })).status).toBe(400);
  });

  it('creates one object for many concurrent requests with the same key, and none for failed ones', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const all = await Promise.all(Array.from({ length: 8 }, () => call('POST', '/api/v1/things', { headers, body: { name: 'p' } })));
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
    expect(all.filter((response) => response.headers.get('idempotency-replayed') === null)).toHaveLength(1);
    const failing = { 'idempotency-key': randomUUID() };
    for (const _ of [1, 2])
      expect(
        (await call('POST', '/api/v1/things', { headers: failing, body: { name: 'fail' } })).headers.get('idempotency-replayed'),
      ).toBeNull();
  });

  it('lets a browser session change data only through requests from our own pages', async () => {
    const session = { authorization: '', cookie };
    const read = await fetch(`${base}/api/v1/things/1`, { headers: { cookie } });
    expect(((await read.json()) as { caller: unknown }).caller).toEqual({
      ...ownerOf(owner, { via: 'session' }),
      scopes: ['read', 'upload', 'manage', 'admin'],
      origin: here,
    });
    expect((await raw('/api/v1/things/1', { cookie: cookie.slice(0, -1) })).status).toBe(401);
    expect((await fetch(`${base}/api/v1/query`, { method: 'POST', headers: { cookie } })).status).toBe(200);
    expect((await fetch(`${base}/api/v1/things`, { method: 'POST', headers: { cookie } })).status).toBe(403);
    expect((await fetch(`${base}/api/v1/raw`, { method: 'PATCH', headers: { cookie } })).status).toBe(403);
    const { port } = new URL(base);
    const write = async (headers: Record<string, string>) => (await raw('/api/v1/things', { cookie, ...headers }, 'POST')).status;
    expect(await write({ 'sec-fetch-site': 'same-origin', origin: 'https://plots.example' })).toBe(201);
    expect(await write({ 'sec-fetch-site': 'same-origin', origin: 'null' })).toBe(201);
    expect(await write({ origin: 'https://plots.example' })).toBe(201);
    expect(await write({ origin: `http://127.0.0.1:${port}` })).toBe(201);
    for (const origin of [
      'null',
      'https://evil.example',
      'http://plots.example',
      'https://plots.example.evil.example',
      `http://127.0.0.1:1`,
      'https://sub.plots.example',
    ])
      expect([origin, await write({ origin })]).toEqual([origin, 401]);
    for (const site of ['cross-site', 'same-site', 'none'])
      expect([
        site,
        [401, 403].includes(await write({ 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', origin: 'https://plots.example' })),
      ]).toEqual([site, true]);
    expect(await write({ host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' })).toBe(401);
    expect((await call('GET', '/api/v1/things/1', { headers: session })).status).toBe(401); // a wrong bearer token takes precedence
  });

  it('parses addresses of many names, and rejects unbounded ones', async () => {
    const authorization = `Bearer ${token}`;
    const long = (bytes: number) => `/api/v1/things/1?${'hide=a&'.repeat(Math.ceil(bytes / 7))}`;
    expect((await raw(long(24 * 1024), { authorization })).status).not.toBe(431);
    expect((await raw(long(40 * 1024), { authorization })).status).toBe(431);
  });

  it('ignores a cookie under a foreign host name, or from another site', async () => {
    const { port } = new URL(base);
    const as = async (headers: Record<string, string>) => (await raw('/api/v1/things/1', { cookie, ...headers })).status;
    expect(await as({ host: `evil.example:${port}` })).toBe(401);
    expect(await as({ host: `127.0.0.1.evil.example` })).toBe(401);
    expect(await as({ host: 'plots.example' })).toBe(401); // behind TLS it has another name
    expect(await as({ host: 'plots.example', cookie: cookie.replace('plotline_session', '__Host-plotline_session') })).toBe(200);
    expect(await as({ host: `localhost:${port}` })).toBe(200);
    expect(await as({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(401);
    expect(await as({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' })).toBe(401);
    expect(await as({ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' })).toBe(200);
    expect((await raw('/api/v1/things/1', { host: 'any.proxy.internal', authorization: `Bearer ${token}` })).status).toBe(200);
  });

  it('rejects expired tokens, and lets viewers only read', async () => {
    const expired = await createToken(store, { ...owner, name: 'old', expiresAt: new Date(Date.now() - 1000) });
    expect((await raw('/api/v1/things/1', { authorization: `Bearer ${expired}` })).status).toBe(401);
    const viewer = randomUUID();
    await insertPerson(store.global, viewer, 'Vera');
    await store.withTenant(owner.tenantId, (scope) => insertMember(scope, viewer, 'viewer'));
    const reading = { authorization: `Bearer ${await createToken(store, { tenantId: owner.tenantId, personId: viewer, name: 'v' })}` };
    expect((await raw('/api/v1/things/1', reading)).status).toBe(200);
    expect((await raw('/api/v1/things', reading, 'POST')).status).toBe(403);
  });

  it('shows the same page for missing objects and for those of others', async () => {
    const without = await raw('/e/abc');
    const withToken = await raw('/e/abc', { authorization: `Bearer ${token}` });
    expect([without.status, withToken.status]).toEqual([404, 404]);
    expect(without.text).toBe(withToken.text);
    expect(without.text).toContain('sign-in link');
    expect(without.text).not.toContain('experiment</b>');
  });

  it('responds 503 with Retry-After while the database is down, never 401 or 500', async () => {
    const downStore = new Store({ appUrl: 'postgres://plotline_app@127.0.0.1:1/none' });
    const other = await startApp(downStore);
    try {
      for (const path of ['/api/v1/things/1', '/nothing', '/e/abc']) {
        const response = await fetch(other.base + path, { headers: { authorization: `Bearer ${token}` } });
        expect([path, response.status, response.headers.get('retry-after')]).toEqual([path, 503, '2']);
      }
      expect((await fetch(`${other.base}/healthz`)).status).toBe(200);
      expect((await fetch(`${other.base}/api/v1/things/1`)).status).toBe(401);
    } finally {
      await other.app.close();
      await downStore.close();
    }
  });

  it('does not start with an unlisted public handler, or with a listed one that is guarded', () => {
    const route: LiveRoute = {
      method: 'GET',
      path: '/api/v1/things',
      handler: 'Things.list',
      public: false,
      counted: false,
      reads: true,
      page: false,
      action: 'workspace.read',
    };
    expect(() => checkRoutes([route], ['GET /api/v1/things'])).not.toThrow();
    expect(() => checkRoutes([{ ...route, public: true }], [])).toThrow(/Things.list is public/);
    expect(() => checkRoutes([{ ...route, path: '/healthz' }], [])).toThrow(/is not public/);
    expect(() => checkRoutes([route], ['GET /debug'])).toThrow(/GET \/debug has no guard/);
    expect(() => checkRoutes([route, { ...route, handler: 'Other.list' }], [])).toThrow(/never reached/);
  });
});
