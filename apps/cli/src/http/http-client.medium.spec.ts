import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpClient, NetworkError } from './http-client.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function listen(handler: http.RequestListener): Promise<string> {
  const server = http.createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function client(origin: string, env: Record<string, string> = {}, connections = 2): HttpClient {
  const made = new HttpClient({ origin, token: 'secret', userAgent: 'test', connections, env });
  cleanUps.push(() => made.close());
  return made;
}

describe('HttpClient', () => {
  it('sends token and body, and reads the response regardless of its status', async () => {
    const origin = await listen((request, response) => {
      request
        .setEncoding('utf8')
        .on('data', (body) => response.writeHead(418).end(`${request.headers.authorization} ${request.method} ${request.url} ${body}`));
    });
    const result = await client(origin).request('POST', '/a?b', { body: Buffer.from('body') });
    expect([result.status, result.body.toString()]).toEqual([418, 'Bearer secret POST /a?b body']);
  });

  it('reuses its connections, up to its limit', async () => {
    const sockets = new Set<unknown>();
    const origin = await listen((request, response) => {
      sockets.add(request.socket);
      setImmediate(() => response.end('x'));
    });
    const to = client(origin, {}, 2);
    await Promise.all(Array.from({ length: 20 }, () => to.request('GET', '/')));
    expect(sockets.size).toBe(2);
  });

  it('uses the proxy of the environment, except for hosts in NO_PROXY', async () => {
    const seen: string[] = [];
    const proxy = await listen((request, response) => {
      seen.push(request.url ?? '');
      response.end('proxied');
    });
    const origin = await listen((_request, response) => response.end('direct'));
    const result = await client('http://plotline.invalid', { HTTP_PROXY: proxy }).request('GET', '/x');
    expect([result.body.toString(), seen]).toEqual(['proxied', ['http://plotline.invalid/x']]);
    expect((await client(origin, { HTTP_PROXY: proxy, NO_PROXY: '127.0.0.1' }).request('GET', '/x')).body.toString()).toBe('direct');
  });

  it('distinguishes a broken connection from a response, and stops sending once it has a response', async () => {
    const cutting = await listen((request) => request.socket.destroy());
    await expect(client(cutting).request('GET', '/')).rejects.toThrow(NetworkError);
    const short = await listen((_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('abc');
      setImmediate(() => response.destroy());
    });
    await expect(client(short).request('GET', '/')).rejects.toThrow(NetworkError);
    const early = await listen((_request, response) => response.writeHead(413).end('no'));
    const result = await client(early).request('PATCH', '/', { body: Buffer.alloc(8 * 1024 * 1024) });
    expect(result.status).toBe(413);
  });

  it('times out on a silent server', async () => {
    const silent = await listen(() => undefined);
    await expect(client(silent).request('GET', '/', { timeoutMs: 50 })).rejects.toThrow('the server did not');
  });
});
