import { type Callback, Redis, type RedisOptions } from 'ioredis';
import { LiveSecret } from '#config/secrets';
import { placeOf, type RedisAddress, signInOf } from './redis-address.ts';

/**
 * A connection that reports an outage once, not at each connection attempt. If its address is in a
 * file, each attempt reads the current user and password, so both can be rotated.
 */
export class QueueClient extends Redis {
  /**
   * Connections that BullMQ duplicated from this one. They must end with it, but BullMQ does not
   * expose them.
   */
  readonly #copies: QueueClient[] = [];
  readonly #whenReady: (() => void)[] = [];
  readonly #more: RedisOptions;
  readonly #address: RedisAddress;
  readonly #url: LiveSecret;
  readonly #sentinelPassword: LiveSecret | null;
  /** The address that the last connection attempt used. */
  #used: readonly string[];
  /** Whether this connection is being closed. The next connection may already be opening. */
  #leaving = false;

  constructor(address: RedisAddress, options: RedisOptions) {
    const live = new LiveSecret(address.url, { isValid: ([url]) => URL.canParse(url!) });
    const ofSentinels = address.sentinelPassword === undefined ? null : new LiveSecret(address.sentinelPassword);
    super(live.value, {
      ...placeOf(address, live.value),
      ...(ofSentinels && { sentinelPassword: ofSentinels.value }),
      connectTimeout: 5_000,
      keepAlive: 10_000,
      reconnectOnError: (error) => error.message.startsWith('READONLY'), // it became a replica; the address leads to the new primary
      retryStrategy: (attempts) => Math.min(attempts * 100, 1_000) * (0.5 + Math.random() / 2),
      ...options,
    });
    this.#address = address;
    this.#url = live;
    this.#sentinelPassword = ofSentinels;
    this.#used = live.values;
    this.#more = options;
    this.on('error', (error: Error) => {
      if (error.message.startsWith('WRONGPASS')) live.rejected(this.#used);
    });
    for (const event of ['connect', 'close']) {
      this.on(event, () => {
        this.#leaving = false;
      });
    }
    this.on('close', () => this.#forgetSilence());
  }

  /**
   * Called by ioredis for each attempt. The first call happens before this class's fields are
   * initialized.
   */
  override connect(callback?: Callback<void>): Promise<void> {
    if (#url in this) {
      this.#used = this.#url.values;
      Object.assign(this.options, signInOf(this.#used[0]!));
      if (this.#sentinelPassword) this.options.sentinelPassword = this.#sentinelPassword.value;
    }
    return super.connect(callback);
  }

  override duplicate(override: Partial<RedisOptions> = {}): QueueClient {
    const copy = new QueueClient(this.#address, { ...this.#more, ...override });
    this.#copies.push(copy);
    copy.on('ready', () => this.#whenReady.forEach((tell) => tell()));
    return copy;
  }

  /**
   * BullMQ calls this without a section, to print warnings about the eviction policy to the
   * console. `RunQueue` also checks and logs the policy, so this method removes the line, and
   * BullMQ has nothing to report.
   */
  override info(...sections: unknown[]): Promise<string> {
    const asked = (super.info as (...sections: unknown[]) => Promise<string>).apply(this, sections);
    return sections.length > 0 ? asked : asked.then((text) => text.replace(/^maxmemory_policy:.*$/m, ''));
  }

  /** Whether this connection and its copies can run commands. */
  isReady(): boolean {
    return [this, ...this.#copies].every((client) => client.status === 'ready');
  }

  /** Calls `tell` each time this connection or a copy of it opens. */
  whenReady(tell: () => void): void {
    this.#whenReady.push(tell);
    this.on('ready', tell);
  }

  /**
   * Works around two problems of ioredis. After several simultaneous errors, it closes the same
   * connection several times. Between two connection attempts, it never emits `end`, which BullMQ
   * waits for; starting an attempt and abandoning it immediately emits `end`.
   */
  override disconnect(reconnect = false): void {
    if (reconnect && this.#leaving) return;
    this.#leaving = true;
    super.disconnect(reconnect);
    if (reconnect || this.status !== 'reconnecting') return;
    this.connect().catch(() => undefined); // abandoned in the next line
    super.disconnect();
  }

  /**
   * In ioredis, the timer of `socketTimeout` outlives its connection and would end the next,
   * healthy one.
   */
  #forgetSilence(): void {
    const { socketTimeoutTimer } = this as unknown as { socketTimeoutTimer?: NodeJS.Timeout };
    clearTimeout(socketTimeoutTimer);
    Object.assign(this, { socketTimeoutTimer: undefined });
  }

  /** Immediately cuts this connection and its copies, whatever their state. */
  cut(): void {
    for (const client of [this, ...this.#copies]) {
      client.on('error', () => undefined); // running commands fail now, as intended
      client.disconnect();
    }
  }
}

/**
 * For producers: a command fails immediately if there is no connection, or after 5 s without a
 * response.
 */
export function producerClient(address: RedisAddress): QueueClient {
  return new QueueClient(address, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 5_000,
  });
}

/**
 * For consumers: BullMQ itself waits for responses and for the connection. A blocking wait for a
 * job lasts 5 s, so a connection that is silent for longer is dead.
 */
export function consumerClient(address: RedisAddress): QueueClient {
  return new QueueClient(address, { maxRetriesPerRequest: null, socketTimeout: 8_000 });
}
