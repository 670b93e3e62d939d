import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';

/** Direction of bytes: `up` to the server behind the proxy, `down` to the client. */
export type Direction = 'up' | 'down';

/**
 * Faults of the link for bytes and connections. Probabilities are drawn from the seed, for each
 * connection separately.
 */
export interface LinkFaults {
  /** Delay of each piece, in both directions. */
  readonly latencyMs?: number;
  /** Maximum bytes per second, per connection and direction. */
  readonly bytesPerSecond?: number;
  /** Resets new connections immediately. */
  readonly refuse?: boolean;
  /** Probability that the connection is reset on both sides before a piece is forwarded. */
  readonly resetChance?: number;
  /**
   * The request arrives and the server responds, but the client gets a reset instead of the
   * response. Drawn per response.
   */
  readonly dropResponseChance?: number;
  /**
   * Flips one bit in a connection, at a random position between the offsets `from` and `to` in that
   * direction.
   */
  readonly flip?: { readonly direction: Direction; readonly chance: number; readonly from: number; readonly to: number };
  /**
   * Silently holds back everything. Data sent in the meantime arrives when the fault ends, because
   * TCP retransmits it.
   */
  readonly partition?: boolean;
}

/** How often each fault had an effect; a fault without traffic does not count. */
export interface LinkEffects {
  connections: number;
  /** Pieces that were delayed. */
  delayed: number;
  /** Pieces that waited for bandwidth. */
  throttled: number;
  refused: number;
  resets: number;
  droppedResponses: number;
  flippedBits: number;
  /** Pieces that a partition held back. */
  held: number;
  /** Pieces sent into a connection after its other end was lost. */
  swallowed: number;
  /** Half-open connections that received data, each counted once. */
  halfOpen: number;
}

/** Start options of a {@link FaultProxy}. */
export interface FaultProxyOptions {
  readonly host?: string;
  /** The port of the server behind the proxy. */
  readonly port: number;
  readonly seed: number;
  /** Port of the proxy on 127.0.0.1; a free port by default. */
  readonly listenPort?: number;
}

/** Bytes that one direction of a connection buffers before it stops reading from the sender. */
const maxWaitingBytes = 1024 * 1024;

/**
 * A TCP proxy that simulates network faults. The n-th connection draws its faults from the seed and
 * n, so it has the same faults in every run with that seed. Faults can change at any time; they
 * apply to bytes that arrive from then on.
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

  /** Resolves when it listens. */
  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(options.listenPort ?? 0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  /** Starts a proxy in front of the server at `url`; returns the proxy and its URL. */
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

  /** Returns `url` with the proxy's address instead of the server's. */
  urlFor(url: string): string {
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String(this.port);
    return through.href;
  }

  get faults(): LinkFaults {
    return this.#faults;
  }

  /** Replaces the current faults; `{}` removes all. */
  set faults(faults: LinkFaults) {
    this.#faults = faults;
    if (!faults.partition) for (const go of this.#healed.splice(0)) go();
  }

  /** Number of open connections. */
  get open(): number {
    return this.#links.size;
  }

  /** Resolves when there is no partition. */
  async whole(): Promise<void> {
    while (this.#faults.partition) await new Promise<void>((resolve) => this.#healed.push(resolve));
  }

  /** Resets every connection on both sides. Returns their number. */
  resetAll(): number {
    const links = [...this.#links];
    for (const link of links) link.reset();
    return links.length;
  }

  /**
   * Makes every connection half-open: neither side receives anything from the other again, not even
   * the end of the connection. New connections work. This happens if a firewall drops the state of
   * a connection, or a machine loses power. Returns their number.
   */
  halfOpenAll(): number {
    for (const link of this.#links) link.forget();
    return this.#links.size;
  }

  /** Closes open connections and stops listening. */
  async close(): Promise<void> {
    this.faults = {};
    for (const link of this.#links) link.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(client: Socket): void {
    const number = this.effects.connections++;
    if (this.#faults.refuse) {
      this.effects.refused++;
      client.on('error', () => undefined); // The other side may have been reset at the same time.
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

/** A client's connection together with its connection to the server. */
class Link {
  readonly ended: Promise<unknown>;
  readonly #proxy: FaultProxy;
  readonly #client: Socket;
  #server: Socket | null = null;
  readonly #random: () => number;
  /** Whether to drop the current response: decided at its first piece. */
  #answering = false;
  #forgotten = false;
  #swallowed = false;

  constructor(proxy: FaultProxy, client: Socket, target: LinkTarget) {
    this.#proxy = proxy;
    this.#client = client;
    this.#random = target.random;
    client.on('error', () => undefined); // 'close' follows and informs the other side.
    client.pause();
    this.ended = this.#join(target);
  }

  /**
   * A partition also keeps a new connection from reaching the server: the client sees a server that
   * does not respond.
   */
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

  /** A reset on one side becomes a reset on the other; a partition hides both. */
  #cut(socket: Socket): void {
    if (socket.destroyed) return;
    void this.#proxy.whole().then(() => socket.resetAndDestroy());
  }

  /** Returns the bytes of a piece to forward, or null if the connection is gone. */
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

/** One direction of a connection. Pieces are sent in order, each at its scheduled time. */
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
