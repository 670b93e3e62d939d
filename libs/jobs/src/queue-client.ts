import { Redis, type RedisOptions } from 'ioredis';

/** A connection that reports an outage once and not at each attempt to connect. */
export class QueueClient extends Redis {
  /** Connections that BullMQ made from this one: it keeps them to itself, and they must end with it. */
  readonly #copies: QueueClient[] = [];
  readonly #whenReady: (() => void)[] = [];
  readonly #more: RedisOptions;
  readonly #url: string;
  /** This connection is being ended; the next one may be on its way. */
  #leaving = false;

  constructor(url: string, options: RedisOptions) {
    super(url, {
      connectTimeout: 5_000,
      keepAlive: 10_000,
      reconnectOnError: (error) => error.message.startsWith('READONLY'), // it became a replica; the address leads to the new primary
      retryStrategy: (attempts) => Math.min(attempts * 100, 1_000) * (0.5 + Math.random() / 2),
      ...options,
    });
    this.#url = url;
    this.#more = options;
    for (const event of ['connect', 'close']) {
      this.on(event, () => {
        this.#leaving = false;
      });
    }
    this.on('close', () => this.#forgetSilence());
  }

  override duplicate(override: Partial<RedisOptions> = {}): QueueClient {
    const copy = new QueueClient(this.#url, { ...this.#more, ...override });
    this.#copies.push(copy);
    copy.on('ready', () => this.#whenReady.forEach((tell) => tell()));
    return copy;
  }

  /**
   * BullMQ, which asks without a section, writes on the console what it thinks of the policy. `RunQueue` looks at it, too, and tells those who read the log;
   * so here the line is missing, which BullMQ takes for nothing to say.
   */
  override info(...sections: unknown[]): Promise<string> {
    const asked = (super.info as (...sections: unknown[]) => Promise<string>).apply(this, sections);
    return sections.length > 0 ? asked : asked.then((text) => text.replace(/^maxmemory_policy:.*$/m, ''));
  }

  /** Whether commands get through: by this connection and by its copies. */
  isReady(): boolean {
    return [this, ...this.#copies].every((client) => client.status === 'ready');
  }

  /** Tells each time that this connection, or a copy of it, has been made. */
  whenReady(tell: () => void): void {
    this.#whenReady.push(tell);
    this.on('ready', tell);
  }

  /**
   * What ioredis leaves to be wished: for many bad answers at once it would end the same connection as many times; and between two attempts to
   * connect it would never tell that it has ended, for which BullMQ waits; an attempt that is given up at once does it.
   */
  override disconnect(reconnect = false): void {
    if (reconnect && this.#leaving) return;
    this.#leaving = true;
    super.disconnect(reconnect);
    if (reconnect || this.status !== 'reconnecting') return;
    this.connect().catch(() => undefined); // given up in the next line
    super.disconnect();
  }

  /** The timer of `socketTimeout` outlives its connection in ioredis, and would end the next one, which is well. */
  #forgetSilence(): void {
    const { socketTimeoutTimer } = this as unknown as { socketTimeoutTimer?: NodeJS.Timeout };
    clearTimeout(socketTimeoutTimer);
    Object.assign(this, { socketTimeoutTimer: undefined });
  }

  /** Cuts this connection and its copies at once, whatever state they are in. */
  cut(): void {
    for (const client of [this, ...this.#copies]) {
      client.on('error', () => undefined); // what was under way fails now, and that was meant
      client.disconnect();
    }
  }
}

/** For those who offer: a command fails at once while there is no connection, and after 5 s when there is no answer. */
export function producerClient(url: string): QueueClient {
  return new QueueClient(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 5_000,
  });
}

/** For those who take jobs: BullMQ waits for answers and for the connection itself. Redis lets it wait for a job for 5 s; who says nothing for longer leads nowhere. */
export function consumerClient(url: string): QueueClient {
  return new QueueClient(url, { maxRetriesPerRequest: null, socketTimeout: 8_000 });
}

/** Where a Redis is, for people: without user and password. */
export function describeRedis(url: string): string {
  if (!URL.canParse(url)) return 'Redis';
  const { protocol, host, pathname } = new URL(url);
  return `Redis at ${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}
