import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeEventFile } from '#testing';
import { listSeries } from './rest-run.ts';
import { Sender } from './sender.ts';
import { Service } from './service.ts';

/*
 * Reliability test 33 on the whole service: without credentials, only the routes listed here
 * respond.
 */

const publicPaths = [
  '/healthz',
  '/readyz',
  '/api/v1/server',
  '/api/v1/limits',
  '/api/v1/openapi.json',
  '/.well-known/jwks.json',
  '/.well-known/oauth-authorization-server',
];
/** Routes that accept or issue credentials. */
const doors = ['/api/v1/token', '/api/v1/device', '/api/v1/revoke'];
/** TensorBoard's uploader sends this request first; the response has the addresses to call. */
const handshakes = ['/api/uploader'];
/**
 * Visitors who are not signed in get a page that explains how to sign in; it is the same whether or
 * not the object exists.
 */
const pages = [
  '/',
  '/e/:experimentId',
  '/e/:experimentId/*picture',
  '/e/:experimentId/citation',
  '/e/:experimentId/r/*run',
  '/sign-in/:secret',
  '/join/:secret',
  '/join',
  '/s/:secret',
  '/embed/:secret',
  '/sign-in',
  '/sign-in/oidc',
  '/sign-in/oidc/callback',
  '/sessions',
  '/sessions/end',
  '/sessions/connect',
  '/sign-out',
  '/device',
  '/usage',
  '/tokens',
  '/members',
  '/reports',
  '/reports/:reportId',
  '/reports/:reportId/edit',
  '/workspaces',
  '/workspaces/choose',
];

/** Scripts, styles and fonts of the page: the same for all visitors. */
const assets = ['/assets/:file'];

interface Route {
  readonly method: string;
  readonly path: string;
}

let service: Service;
/** Every route in the log of the running process. */
let routes: Route[];
let known: Record<string, string>;

beforeAll(async () => {
  service = await Service.start({ env: { PLOTLINE_LOG_LEVEL: 'debug' } });
  // Several processes share some routes.
  const mapped = new Map<string, { method: string; path: string }>();
  for (const [text, path, method] of service.output.matchAll(/Mapped \{([^,}]+), ([A-Z]+)\} route/g))
    mapped.set(text, { method: method!, path: path! });
  routes = [...mapped.values()];
  const sender = await Sender.start(service);
  const { file_id: fileId } = await sender.send('secret-run', writeEventFile([{ step: 1, simpleValues: { 'secret-tag': 1 } }]));
  await sender.visible();
  expect(await listSeries(service, sender.experimentId)).toHaveLength(1);
  known = {
    experimentId: sender.experimentId,
    fileId,
    key: Buffer.from(JSON.stringify([1, sender.experimentId, '1', fileId, 0, 0])).toString('base64url'),
    secret: 'x'.repeat(43),
  };
});
afterAll(() => service.dispose());

const fill = (path: string): string => path.replace(/[:*]([A-Za-z]+)/g, (_, name: string) => known[name] ?? 'x');
const guarded = () => routes.filter(({ path }) => ![...publicPaths, ...doors, ...handshakes, ...pages, ...assets].includes(path));

/** Sends a request with its URL unmodified. */
function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: service.port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve({ status: response.statusCode!, text, headers: response.headers }));
    });
    sent.on('error', reject).end();
  });
}

it('the process has exactly the routes of its OpenAPI document', async () => {
  const { paths } = (await (await fetch(`${service.url}/api/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{([^}]+)\}/g, ':$1')}`),
  );
  expect(routes.length).toBeGreaterThan(25);
  expect(routes.map(({ method, path }) => `${method} ${path.replace('*', ':')}`).toSorted()).toEqual(documented.toSorted());
});

it('all other routes reject missing and wrong credentials', async () => {
  const wrong = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer x',
    `Bearer plt_${'A'.repeat(36)}`,
    'Basic Og==',
    `Basic ${Buffer.from(`x:${await service.token()}`).toString('base64')}`,
    `bearer\t${'x'.repeat(8_000)}`,
    'Bearer null',
    'Bearer eyJhbGciOiJub25lIn0.e30.',
  ];
  for (const { method, path } of guarded()) {
    for (const authorization of wrong) {
      const response = await send(method, fill(path), authorization === undefined ? {} : { authorization });
      expect([`${method} ${path} ${authorization?.slice(0, 40)}`, response.status]).toEqual([
        `${method} ${path} ${authorization?.slice(0, 40)}`,
        401,
      ]);
      if (method !== 'HEAD') expect(JSON.parse(response.text)).toMatchObject({ code: 'unauthenticated' });
      expect(response.text).not.toMatch(/secret-/);
    }
  }
});

it('tokens count only in the Authorization field', async () => {
  const token = await service.token();
  const path = `/api/v1/experiments/${known.experimentId}`;
  for (const query of [`?token=${token}`, `?access_token=${token}`, `?authorization=Bearer%20${token}`])
    expect((await send('GET', path + query)).status).toBe(401);
  for (const headers of [
    { cookie: `token=${token}` },
    { 'x-api-key': token },
    { 'proxy-authorization': `Bearer ${token}` },
    { 'x-forwarded-user': 'owner' },
  ])
    expect((await send('GET', path, headers as unknown as Record<string, string>)).status).toBe(401);
});

it('the listed routes respond, and reveal no names', async () => {
  for (const path of publicPaths) {
    const { status, text } = await send('GET', path);
    expect([path, status]).toEqual([path, 200]);
    expect(text).not.toMatch(/secret-/);
  }
  for (const path of doors) {
    const { status, text } = await send('POST', path);
    expect([path, [200, 400].includes(status), /secret-/.test(text)]).toEqual([path, true, false]);
  }
  for (const path of assets) {
    const { status, text } = await send('GET', fill(path));
    expect([path, status]).toEqual([path, 404]); // There is no such file.
    expect(text).not.toMatch(/secret-/);
  }
  for (const path of pages.filter((page) => page.startsWith('/reports'))) {
    const { status, text } = await send('GET', fill(path));
    expect([path, status, /secret-/.test(text)]).toEqual([path, 404, false]);
  }
  for (const part of ['', '/charts/x.svg']) {
    const there = await send('GET', `/e/${known.experimentId}${part}`);
    const absent = await send('GET', `/e/${'A'.repeat(22)}${part}`);
    expect([there.status, absent.status]).toEqual([404, 404]);
    expect(there.text.replaceAll(known.experimentId!, '').replaceAll(/[A-Za-z0-9_-]{16}/g, '')).toBe(
      absent.text.replaceAll('A'.repeat(22), '').replaceAll(/[A-Za-z0-9_-]{16}/g, ''),
    );
    expect(there.text).not.toMatch(/secret-/);
  }
});

it('other spellings and methods of a URL do not bypass authentication', async () => {
  const id = known.experimentId!;
  const spellings = [
    `//api/v1/experiments/${id}`,
    `/api//v1/experiments/${id}`,
    `/api/v1/experiments/${id}/`,
    `/API/v1/experiments/${id}`,
    `/api/v1/Experiments/${id}`,
    `/api/v1/experiments/${id};a=b`,
    `/api/v1/experiments%2f${id}`,
    `/api%2fv1/experiments/${id}`,
    `/./api/v1/experiments/${id}`,
    `/healthz/../api/v1/experiments/${id}`,
    `/healthz/%2e%2e/api/v1/experiments/${id}`,
    `/api/v1/server/../experiments/${id}`,
    `/api/v1/experiments/${id}%00`,
    `/api/v1/experiments/${id}?`,
    `/api/v1/experiments/${id}#`,
    `/api/v1/limits/..;/experiments/${id}`,
    `/%61pi/v1/experiments/${id}`,
  ];
  for (const path of spellings) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE']) {
      const { status, text } = await send(method, path);
      expect([path, method, status]).toEqual([
        path,
        method,
        expect.toSatisfy((code: number) => code === 401 || code === 404 || code === 405 || code === 400),
      ]);
      expect(text).not.toMatch(/secret-/);
    }
  }
  // A method override header has no effect.
  expect((await send('POST', `/api/v1/experiments/${id}`, { 'x-http-method-override': 'GET' })).status).toBe(401);
  expect(
    (await send('GET', '/api/v1/server', { 'x-original-url': `/api/v1/experiments/${id}`, 'x-rewrite-url': `/api/v1/experiments/${id}` }))
      .text,
  ).not.toContain(id);
});

it('gRPC-Web and protocols other than HTTP/1.1 do not bypass authentication', async () => {
  const path = '/tensorboard.service.TensorBoardExporterService/StreamExperiments';
  for (const type of ['application/grpc-web+proto', 'application/grpc-web-text', 'application/grpc', 'application/grpc+proto']) {
    const { status, text } = await send('POST', path, { 'content-type': type, te: 'trailers' });
    expect([type, status]).toEqual([type, 401]);
    expect(text).not.toMatch(/secret-/);
  }
  const upgraded = await send('GET', `/api/v1/experiments/${known.experimentId}`, {
    connection: 'Upgrade',
    upgrade: 'h2c',
    'http2-settings': '',
  });
  expect(upgraded.status).toBe(401);
  const socket = await send('GET', `/api/v1/experiments/${known.experimentId}/events`, {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  });
  expect(socket.status).toBe(401);
});

it('without credentials nothing is buffered, written or created', async () => {
  const before = await service.json<{ experiments: unknown[] }>('/experiments?page_size=1000');
  const body = new Uint8Array(3 * 1024 * 1024);
  for (const [method, path] of [
    ['POST', '/api/v1/experiments'],
    ['PATCH', `/api/v1/files/${known.fileId}`],
    ['POST', `/api/v1/experiments/${known.experimentId}/scalars/query`],
  ] as const) {
    const status = await fetch(service.url + path, { method, body, headers: { 'content-type': 'application/json' } }).then(
      (response) => response.status,
      () => 401,
    ); // The server closes the connection while the client sends: it does not read more.
    expect([path, status]).toEqual([path, 401]);
  }
  expect(await service.json('/experiments?page_size=1000')).toEqual(before);
});
