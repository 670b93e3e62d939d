import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';

/** Which way bytes go: `up` to the server behind the proxy, `down` back to the client. */
export type Direction = 'up' | 'down';

/** What the link does to bytes and connections. Chances are between 0 and 1 and drawn from the seed, for each connection apart. */
export interface LinkFaults {
  /** Each piece arrives this much later, in both directions. */
  readonly latencyMs?: number;
  /** No more than this many bytes a second, for each connection and direction. */
  readonly bytesPerSecond?: number;
  /** Whoever connects is cut off at once, by a reset. */
  readonly refuse?: boolean;
  /** Before a piece is passed on, the connection is reset on both sides. */
  readonly resetChance?: number;
  /** The request arrives and the server answers, but instead of the answer the client gets a reset. Drawn for each answer. */
  readonly dropResponseChance?: number;
  /** One bit of a connection is flipped, at a random place between the offsets `from` and `to` of what goes that way. */
  readonly flip?: { readonly direction: Direction; readonly chance: number; readonly from: number; readonly to: number };
  /** Nothing passes, and nobody is told. What was sent meanwhile arrives when the fault is lifted, as TCP sends it again. */
  readonly partition?: boolean;
}

/** How often each fault really happened: a fault that nothing ran into is not counted. */
export interface LinkEffects {
  connections: number;
  /** Pieces that were late. */
  delayed: number;
  /** Pieces that waited for bandwidth. */
  throttled: number;
  refused: number;
  resets: number;
  droppedResponses: number;
  flippedBits: number;
  /** Pieces that a partition held back. */
  held: number;
  /** Pieces that went into a connection of which one end is gone. */
  swallowed: number;
  /** Connections that something of that went into, each once. */
  halfOpen: number;
}

/** How a {@link FaultProxy} is started. */
export interface FaultProxyOptions {
  readonly host?: string;
  /** The port of the server behind it. */
  readonly port: number;
  readonly seed: number;
  /** Where the proxy itself listens, on 127.0.0.1; by default a free port. */
  readonly listenPort?: number;
}

/** So many bytes may wait in one direction of a connection; then the sender is held back. */
const maxWaitingBytes = 1024 * 1024;

/**
 * A TCP proxy that does to a connection what networks do. The n-th connection draws its faults from the seed and n, so it meets the same
 * ones in every run with that seed. Faults may be changed at any moment and hold for the bytes that arrive from then on.
 */
export class FaultProxy {
  readonly effects: LinkEffects = {
    connections: 0,
    delayed: 0,
    throttled: 0,
    refused: 0,
    resets: 0,
    droppedResponses: 0,
    flippedBits: 0,
    held: 0,
    swallowed: 0,
    halfOpen: 0,
  };
  readonly #options: FaultProxyOptions;
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #healed: (() => void)[] = [];
  #faults: LinkFaults = {};

  private constructor(options: FaultProxyOptions) {
    this.#options = options;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client));
  }

  /** Listens before it resolves. */
  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(options.listenPort ?? 0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  /** A proxy before the server of `url`, and `url` with the proxy's address in the server's place. */
  static async before(url: string, seed: number): Promise<{ readonly proxy: FaultProxy; readonly url: string }> {
    const { hostname, port, protocol } = new URL(url);
    const usual: Record<string, number> = { 'postgres:': 5432, 'postgresql:': 5432, 'redis:': 6379, 'http:': 80 };
    const proxy = await FaultProxy.start({ host: hostname, port: port === '' ? usual[protocol]! : Number(port), seed });
    return { proxy, url: proxy.urlFor(url) };
  }

  get port(): number {
    const address = this.#server.address();
    if (!address || typeof address === 'string') throw new Error('the proxy does not listen');
    return address.port;
  }

  /** `url` with the proxy's address in the place of the server's. */
  urlFor(url: string): string {
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String(this.port);
    return through.href;
  }

  get faults(): LinkFaults {
    return this.#faults;
  }

  /** These faults and no others from now on; `{}` heals. */
  set faults(faults: LinkFaults) {
    this.#faults = faults;
    if (!faults.partition) for (const go of this.#healed.splice(0)) go();
  }

  /** Open connections. */
  get open(): number {
    return this.#links.size;
  }

  /** Resolves when no partition is in force. */
  async whole(): Promise<void> {
    while (this.#faults.partition) await new Promise<void>((resolve) => this.#healed.push(resolve));
  }

  /** Cuts every connection by a reset, on both sides. Returns how many. */
  resetAll(): number {
    const links = [...this.#links];
    for (const link of links) link.reset();
    return links.length;
  }

  /**
   * Makes every connection half-open: neither side hears of the other again, nor of the end. New connections work. So it is when
   * a firewall forgets a connection, or a machine loses its power. Returns how many.
   */
  halfOpenAll(): number {
    for (const link of this.#links) link.forget();
    return this.#links.size;
  }

  /** Cuts what is open and stops listening. */
  async close(): Promise<void> {
    this.faults = {};
    for (const link of this.#links) link.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(client: Socket): void {
    const number = this.effects.connections++;
    if (this.#faults.refuse) {
      this.effects.refused++;
      client.on('error', () => undefined); // a reset that meets another
      client.resetAndDestroy();
      return;
    }
    const { host = '127.0.0.1', port, seed } = this.#options;
    const link = new Link(this, client, { host, port, random: seededRandom(seed * 7_919 + number) });
    this.#links.add(link);
    link.ended.then(
      () => this.#links.delete(link),
      () => this.#links.delete(link),
    );
  }
}

interface LinkTarget {
  readonly host: string;
  readonly port: number;
  readonly random: () => number;
}

/** One connection of a client, with the one to the server that belongs to it. */
class Link {
  readonly ended: Promise<unknown>;
  readonly #proxy: FaultProxy;
  readonly #client: Socket;
  #server: Socket | null = null;
  readonly #random: () => number;
  /** The answer that is under way is dropped or not: decided at its first piece. */
  #answering = false;
  #forgotten = false;
  #swallowed = false;

  constructor(proxy: FaultProxy, client: Socket, target: LinkTarget) {
    this.#proxy = proxy;
    this.#client = client;
    this.#random = target.random;
    client.on('error', () => undefined); // 'close' follows, and the other side is told
    client.pause();
    this.ended = this.#join(target);
  }

  /** A partition keeps a new connection from reaching the server, too: to the client it looks as if nobody answers. */
  async #join({ host, port }: LinkTarget): Promise<void> {
    const client = this.#client;
    if (this.#proxy.faults.partition) {
      this.#proxy.effects.held++;
      await this.#proxy.whole();
    }
    if (client.destroyed) return;
    const server = connect({ host, port, allowHalfOpen: true, noDelay: true });
    this.#server = server;
    const closed = Promise.all([closeOf(client), closeOf(server)]);
    server.on('error', () => undefined);
    server.once('close', (failed) => {
      if (failed && !this.#forgotten) this.#cut(client);
    });
    client.once('close', (failed) => {
      if (failed && !this.#forgotten) this.#cut(server);
    });
    Flow.begin(client, server, (piece) => this.#pass('up', piece), this.#proxy);
    Flow.begin(server, client, (piece) => this.#pass('down', piece), this.#proxy);
    await closed;
  }

  reset(): void {
    this.#proxy.effects.resets++;
    this.#cut(this.#client);
    if (this.#server) this.#cut(this.#server);
  }

  forget(): void {
    this.#forgotten = true;
  }

  destroy(): void {
    this.#client.destroy();
    this.#server?.destroy();
  }

  /** An end that one side reset is a reset on the other; nothing is told through a partition. */
  #cut(socket: Socket): void {
    if (socket.destroyed) return;
    void this.#proxy.whole().then(() => socket.resetAndDestroy());
  }

  /** What becomes of a piece: the bytes that go on, or null when the connection is gone. */
  #pass(direction: Direction, piece: Buffer | null): Buffer | null {
    const { faults, effects } = this.#proxy;
    if (this.#forgotten) {
      effects.swallowed++;
      if (!this.#swallowed) effects.halfOpen++;
      this.#swallowed = true;
      return null;
    }
    if (piece === null) return Buffer.alloc(0);
    const begins = direction === 'down' && !this.#answering;
    this.#answering = direction === 'down';
    if (begins && faults.dropResponseChance !== undefined && this.#random() < faults.dropResponseChance) {
      effects.droppedResponses++;
      this.#cut(this.#client);
      this.#server?.destroy();
      return null;
    }
    if (faults.resetChance !== undefined && this.#random() < faults.resetChance) {
      this.reset();
      return null;
    }
    return this.#flip(direction, piece);
  }

  readonly #seen = { up: 0, down: 0 };
  #flipAt: number | null | undefined;

  #flip(direction: Direction, piece: Buffer): Buffer {
    const from = this.#seen[direction];
    this.#seen[direction] += piece.length;
    const { flip } = this.#proxy.faults;
    if (flip?.direction !== direction) return piece;
    this.#flipAt ??= this.#random() < flip.chance ? flip.from + Math.floor(this.#random() * (flip.to - flip.from)) : Infinity;
    const at = this.#flipAt - from;
    if (at < 0 || at >= piece.length) return piece;
    const copy = Buffer.from(piece);
    copy[at]! ^= 1 << Math.floor(this.#random() * 8);
    this.#proxy.effects.flippedBits++;
    return copy;
  }
}

/** One direction of a connection: pieces leave in order, each when its time has come. */
class Flow {
  readonly #waiting: { readonly bytes: Buffer | null; readonly due: number }[] = [];
  #waitingBytes = 0;
  #running = false;
  #budgetAt = 0;

  static begin(from: Socket, to: Socket, pass: (piece: Buffer | null) => Buffer | null, proxy: FaultProxy): void {
    const flow = new Flow();
    const arrive = (bytes: Buffer | null): void => {
      const { latencyMs = 0 } = proxy.faults;
      if (latencyMs > 0 && bytes) proxy.effects.delayed++;
      flow.#waiting.push({ bytes, due: performance.now() + latencyMs });
      flow.#waitingBytes += bytes?.length ?? 0;
      if (flow.#waitingBytes > maxWaitingBytes) from.pause();
      if (!flow.#running) void flow.#run(from, to, pass, proxy);
    };
    from.on('data', arrive);
    from.once('end', () => arrive(null));
    from.resume();
  }

  async #run(from: Socket, to: Socket, pass: (piece: Buffer | null) => Buffer | null, proxy: FaultProxy): Promise<void> {
    this.#running = true;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { bytes, due } = next;
      const early = due - performance.now();
      if (early > 0) await sleep(early);
      if (proxy.faults.partition) {
        proxy.effects.held++;
        await proxy.whole();
      }
      if (bytes) await this.#awaitBandwidth(bytes.length, proxy);
      this.#waitingBytes -= bytes?.length ?? 0;
      const passed = pass(bytes);
      if (passed && !to.destroyed) {
        if (bytes === null) to.end();
        else if (!to.write(passed)) await drained(to);
      }
      if (this.#waitingBytes <= maxWaitingBytes) from.resume();
    }
    this.#running = false;
  }

  async #awaitBandwidth(bytes: number, proxy: FaultProxy): Promise<void> {
    const { bytesPerSecond } = proxy.faults;
    if (bytesPerSecond === undefined) return;
    const now = performance.now();
    this.#budgetAt = Math.max(this.#budgetAt, now) + (bytes / bytesPerSecond) * 1_000;
    proxy.effects.throttled++;
    await sleep(this.#budgetAt - now);
  }
}

function closeOf(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.once('drain', done).once('close', done);
  });
}
