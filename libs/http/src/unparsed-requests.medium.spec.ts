import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { respondUnparsed } from './unparsed-requests.ts';

let server: Server;
const sockets: Socket[] = [];

beforeEach(async () => {
  const short = { maxHeaderSize: 32 * 1024, headersTimeout: 300, connectionsCheckingInterval: 100 };
  server = createServer(short, (request, response) => {
    request.resume().once('end', () => response.end('served'));
  });
  respondUnparsed(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  server.closeAllConnections();
});

/**
 * Everything that the server sends on a connection, and how the connection ended for the client.
 */
interface Seen {
  text: string;
  ended: 'open' | 'end' | 'ECONNRESET' | 'EPIPE';
}

async function open(): Promise<{ socket: Socket; seen: Seen }> {
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  const seen: Seen = { text: '', ended: 'open' };
  socket
    .on('data', (bytes) => (seen.text += bytes.toString()))
    .on('end', () => (seen.ended = 'end'))
    .on('error', (error: NodeJS.ErrnoException) => (seen.ended = error.code as Seen['ended']));
  await once(socket, 'connect');
  return { socket, seen };
}

async function closed(seen: Seen): Promise<void> {
  await expect.poll(() => seen.ended, { timeout: 5_000 }).not.toBe('open');
}

describe('a request that cannot be parsed', () => {
  it.each([
    ['headers that are too large', `GET /${'x'.repeat(600_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, '431 Request Header Fields Too Large'],
    ['bytes that are not HTTP', `${'\u0001'.repeat(600_000)}\r\n\r\n`, '400 Bad Request'],
    [
      'a chunk with a long extension',
      `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(600_000)}\r\n`,
      '413 Payload Too Large',
    ],
  ])('is answered although the client is still sending: %s', async (_name, request, status) => {
    for (let time = 0; time < 20; time++) {
      const { socket, seen } = await open();
      socket.write(request);
      await closed(seen);
      expect(seen.ended).toBe('end');
      expect(seen.text).toMatch(new RegExp(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n$`));
      socket.destroy();
    }
  });

  it('is answered if its headers do not end in time', async () => {
    const { socket, seen } = await open();
    socket.write('GET / HTTP/1.1\r\n');
    await closed(seen);
    expect(seen).toEqual({ text: 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n', ended: 'end' });
  });

  it('ends the connection, however much or little the client sends', async () => {
    const endless = await open();
    const bytes = Buffer.alloc(64 * 1024, 'x');
    let sent = 0;
    const more = (): void => {
      while (!endless.socket.destroyed && sent < 64 * 1024 * 1024) {
        sent += bytes.length;
        if (!endless.socket.write(bytes)) return;
      }
    };
    endless.socket.on('drain', more);
    more();
    await expect.poll(() => endless.socket.destroyed, { timeout: 5_000 }).toBe(true);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    const silent = await open();
    silent.socket.write('no request\r\n\r\n');
    await closed(silent.seen);
    await expect.poll(() => new Promise((resolve) => server.getConnections((_error, count) => resolve(count))), { timeout: 5_000 }).toBe(0);
  });
});
