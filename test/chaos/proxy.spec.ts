import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { FaultProxy, type LinkFaults } from './proxy.ts';

const clean: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of clean.splice(0).toReversed()) await step();
});

/** Returns a server that echoes its input; `got` is everything it received. */
async function echo(): Promise<{ port: number; got: Buffer[]; sockets: Socket[]; closed: boolean[] }> {
  const got: Buffer[] = [];
  const sockets: Socket[] = [];
  const closed: boolean[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    const number = sockets.length - 1;
    socket.on('error', () => undefined);
    socket.on('close', (failed) => (closed[number] = failed));
    socket.on('data', (piece) => {
      got.push(piece);
      socket.write(piece);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  clean.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { port: (server.address() as { port: number }).port, got, sockets, closed };
}

async function proxyBefore(port: number, faults: LinkFaults, seed = 1): Promise<FaultProxy> {
  const proxy = await FaultProxy.start({ port, seed });
  proxy.faults = faults;
  clean.push(() => proxy.close());
  return proxy;
}

/** A connection that records what it receives. */
class Client {
  readonly socket: Socket;
  received = Buffer.alloc(0);
  readonly ended: Promise<string>;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    let code = 'end';
    this.socket.on('data', (piece) => (this.received = Buffer.concat([this.received, piece])));
    this.socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code ?? 'error'));
    this.ended = new Promise((resolve) => this.socket.once('close', () => resolve(code)));
    clean.push(async () => void this.socket.destroy());
  }

  async ask(text: string): Promise<string> {
    const from = this.received.length;
    this.socket.write(text);
    await expect.poll(() => this.received.length, { timeout: 10_000, interval: 5 }).toBeGreaterThanOrEqual(from + text.length);
    return this.received.subarray(from).toString('latin1');
  }
}

it('passes bytes and ends unchanged without a fault', async () => {
  const server = await echo();
  const proxy = await proxyBefore(server.port, {});
  const client = new Client(proxy.port);
  const large = 'x'.repeat(5_000_000);
  expect(await client.ask('hello')).toBe('hello');
  expect((await client.ask(large)) === large).toBe(true);
  server.sockets[0]!.end();
  expect(await client.ended).toBe('end');
  await expect.poll(() => proxy.open).toBe(0);
  expect(proxy.effects).toMatchObject({ connections: 1, resets: 0, flippedBits: 0 });
});

it('delays each direction by the latency, regardless of the number of pieces', async () => {
  const server = await echo();
  const proxy = await proxyBefore(server.port, { latencyMs: 60 });
  const client = new Client(proxy.port);
  const before = performance.now();
  await client.ask('x'.repeat(1_000_000));
  expect(performance.now() - before).toBeGreaterThanOrEqual(119);
  expect(proxy.effects.delayed).toBeGreaterThan(1);
});

it('limits the throughput to the bandwidth', async () => {
  const server = await echo();
  const proxy = await proxyBefore(server.port, { bytesPerSecond: 400_000 });
  const client = new Client(proxy.port);
  const before = performance.now();
  await client.ask('x'.repeat(100_000));
  expect(performance.now() - before).toBeGreaterThanOrEqual(249);
  expect(proxy.effects.throttled).toBeGreaterThan(0);
});

it('refuses connections, and resets them on both sides', async () => {
  const server = await echo();
  const proxy = await proxyBefore(server.port, { refuse: true });
  expect(await new Client(proxy.port).ended).toBe('ECONNRESET');
  proxy.faults = {};
  const client = new Client(proxy.port);
  await client.ask('hello');
  expect(proxy.resetAll()).toBe(1);
  expect(await client.ended).toBe('ECONNRESET');
  await expect.poll(() => server.closed[0]).toBe(true);
  proxy.faults = { resetChance: 1 };
  const other = new Client(proxy.port);
  other.socket.write('x');
  expect(await other.ended).toBe('ECONNRESET');
  expect(proxy.effects).toMatchObject({ refused: 1, resets: 2 });
});

it('drops the response to a request that arrived', async () => {
  const server = await echo();
  const proxy = await proxyBefore(server.port, { dropResponseChance: 1 });
  const client = new Client(proxy.port);
  client.socket.write('request');
  expect(await client.ended).toBe('ECONNRESET');
  expect(Buffer.concat(server.got).toString()).toBe('request');
  expect(client.received.length).toBe(0);
  expect(proxy.effects.droppedResponses).toBe(1);
});

it('flips one bit of a connection, at a position that depends only on the seed', async () => {
  const places = [];
  for (const seed of [7, 7, 8]) {
    const server = await echo();
    const proxy = await proxyBefore(server.port, { flip: { direction: 'up', chance: 1, from: 100, to: 200 } }, seed);
    const client = new Client(proxy.port);
    const answer = (await client.ask('\0'.repeat(50))) + (await client.ask('\0'.repeat(450)));
    const bytes = [...Buffer.from(answer, 'latin1').entries()].filter(([, byte]) => byte !== 0);
    expect(bytes).toHaveLength(1);
    const [place, byte] = bytes[0]!;
    expect(place).toBeGreaterThanOrEqual(100);
    expect(place).toBeLessThan(200);
    expect(Math.log2(byte) % 1).toBe(0);
    expect(proxy.effects.flippedBits).toBe(1);
    places.push(`${place}:${byte}`);
  }
  expect(places[0]).toBe(places[1]);
  expect(places[2]).not.toBe(places[0]);
});

it('holds back everything in a partition, including new connections, and delivers it afterwards', async () => {
  const server = await echo();
  const proxy = await proxyBefore(server.port, {});
  const old = new Client(proxy.port);
  await old.ask('before');
  proxy.faults = { partition: true };
  old.socket.write(' during');
  const fresh = new Client(proxy.port);
  fresh.socket.write('new');
  await expect.poll(() => proxy.effects.held).toBe(2);
  expect(Buffer.concat(server.got).toString()).toBe('before');
  proxy.faults = {};
  await expect.poll(() => old.received.toString()).toBe('before during');
  await expect.poll(() => fresh.received.toString()).toBe('new');
});

it('keeps a half-open connection silent, while new ones work', async () => {
  const server = await echo();
  const proxy = await proxyBefore(server.port, {});
  const old = new Client(proxy.port);
  await old.ask('before');
  expect(proxy.halfOpenAll()).toBe(1);
  old.socket.write('lost');
  await expect.poll(() => proxy.effects.swallowed).toBe(1);
  old.socket.write('lost, too');
  await expect.poll(() => proxy.effects.swallowed).toBe(2);
  expect(proxy.effects.halfOpen).toBe(1);
  old.socket.resetAndDestroy();
  await old.ended;
  expect(await new Client(proxy.port).ask('fresh')).toBe('fresh');
  expect(server.closed).toEqual([]);
  expect(Buffer.concat(server.got).toString()).toBe('beforefresh');
});
