import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type S3Fault, S3FaultProxy } from './s3-proxy.ts';

const content = Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 251));
let server: Server;
let proxy: S3FaultProxy;
let got: { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer; whole: boolean }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    const note = (whole: boolean) =>
      got.push({ method: request.method!, path: request.url!, headers: request.headers, body: Buffer.concat(pieces), whole });
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('error', () => note(false));
    request.on('end', () => {
      note(true);
      response.setHeader('etag', '"x"').end(request.method === 'GET' ? content : '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy = await S3FaultProxy.before(`http://127.0.0.1:${(server.address() as { port: number }).port}`, 5);
});
afterEach(() => {
  got = [];
});
afterAll(async () => {
  await proxy.close();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

const always = (...kinds: S3Fault[]) => (proxy.plan = { chance: 1, kinds, slowMs: 50 });
const put = () => fetch(`${proxy.endpoint}/bucket/key?x=1`, { method: 'PUT', body: content, headers: { authorization: 'signed' } });
const get = () => fetch(`${proxy.endpoint}/bucket/key`);

it('forwards requests and responses unchanged, with the address that the client used', async () => {
  proxy.plan = { chance: 0, kinds: ['reset'] };
  expect((await put()).headers.get('etag')).toBe('"x"');
  expect(Buffer.from(await (await get()).bytes())).toEqual(content);
  expect(got[0]).toMatchObject({ method: 'PUT', path: '/bucket/key?x=1', whole: true });
  expect(got[0]!.headers).toMatchObject({ host: new URL(proxy.endpoint).host, authorization: 'signed' });
  expect(got[0]!.body).toEqual(content);
});

it.each([
  ['internal-error', 500, 'InternalError'],
  ['slow-down', 503, 'SlowDown'],
  ['conflict', 409, 'ConditionalRequestConflict'],
] as const)('responds with %s itself', async (kind, status, code) => {
  always(kind);
  const response = await put();
  expect(response.status).toBe(status);
  expect(await response.text()).toContain(`<Code>${code}</Code>`);
  expect(got).toEqual([]);
  expect(proxy.effects[kind]).toBe(1);
});

it('resets before or after the store receives the request', async () => {
  always('reset');
  await expect(put()).rejects.toThrow('fetch failed');
  expect(got).toEqual([]);
  always('lost-response');
  await expect(put()).rejects.toThrow('fetch failed');
  expect(got[0]!.body).toEqual(content);
});

it('truncates a body, on its way to the store and back', async () => {
  always('truncated');
  await expect(put()).rejects.toThrow('fetch failed');
  await expect.poll(() => got.length).toBe(1);
  expect(got[0]!.whole).toBe(false);
  await expect(get().then((response) => response.bytes())).rejects.toThrow('terminated');
  expect(proxy.effects.truncated).toBe(2);
});

it('flips one bit, on its way to the store and back', async () => {
  always('bit-flip');
  await put();
  const back = Buffer.from(await (await get()).bytes());
  for (const bytes of [got[0]!.body, back]) {
    const different = [...bytes.entries()].filter(([i, byte]) => byte !== content[i]);
    expect(different).toHaveLength(1);
    expect(Math.log2(different[0]![1] ^ content[different[0]![0]]!) % 1).toBe(0);
  }
});

it('delays, and affects only the selected requests', async () => {
  proxy.plan = { chance: 1, kinds: ['slow'], slowMs: 50, only: ({ method }) => method === 'PUT' };
  await get();
  expect(proxy.effects.slow).toBe(0);
  await put();
  expect(proxy.effects.slow).toBe(1);
});
