import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { sendPieces } from './send-pieces.ts';
import { cutSlowReaders } from './slow-readers.ts';

/** More than the kernel buffers for a connection. */
const large = Buffer.alloc(32 * 1024 * 1024, 'x');
let server: Server;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  server.closeAllConnections();
});

async function serve(response: RequestListener, graceMs: number): Promise<void> {
  server = createServer(response);
  cutSlowReaders(server, { bytesPerSecond: 64 * 1024, graceMs });
  await once(server.listen(0, '127.0.0.1'), 'listening');
}

async function ask(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return socket;
}

it('closes the connection of a reader that reads nothing, after buffering little', async () => {
  const responded = Promise.withResolvers<ServerResponse>();
  const ended = Promise.withResolvers<void>();
  await serve((_request, response) => {
    void sendPieces(response, [large]).then(ended.resolve);
    responded.resolve(response);
  }, 400);
  const socket = await ask();
  socket.pause();
  const response = await responded.promise;
  expect(response.writableLength).toBeLessThan(1024 * 1024);
  await ended.promise;
  expect(response.destroyed).toBe(true);
  expect(response.writableFinished).toBe(false);
});

it('sends the whole response to a reader that keeps reading', async () => {
  await serve((_request, response) => void sendPieces(response, [large]), 100);
  const socket = await ask();
  let bytes = 0;
  socket.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  await expect.poll(() => bytes, { timeout: 20_000 }).toBeGreaterThan(large.length);
  expect(socket.destroyed).toBe(false);
});
