import type pg from 'pg';
import { ConnectionQueue } from './connection-queue.ts';
import type { Connect } from './pg-internals.ts';

/** Delay after a failed attempt before the next attempt. */
const pauseMs = 250;

/**
 * If Postgres responded to any request this recently, it is busy, not down. Connecting is slow when
 * many connections open at the same time.
 */
const busyMs = 1_000;

/**
 * The error that `TimedClient` throws if a connection could not be opened in time. See also
 * `store-error.ts`.
 */
const timedOut = /^Connection terminated due to connection timeout/;

/**
 * Remembers whether a pool's Postgres was down at the last attempt. While it is down, one request
 * at a time tries to connect and waits for the result. All other requests fail immediately,
 * including those that wait for a pool connection. So a request with several steps does not wait at
 * each step, and few connections accumulate when the network drops packets.
 */
export class OutageGuard {
  readonly #queue: ConnectionQueue;
  readonly #mayConnect: () => boolean;
  #down = false;
  #trying = false;
  #failedAt = -Infinity;
  #respondedAt = -Infinity;

  /**
   * `connections` is the size of the pool. `mayConnect` returns whether a request may have a
   * connection, and is called for each request.
   */
  constructor(connections: number, mayConnect: () => boolean = () => true) {
    this.#queue = new ConnectionQueue(connections);
    this.#mayConnect = mayConnect;
  }

  /** The number of requests that wait for a connection. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Marks Postgres as down until a connection succeeds. */
  noteDown(): void {
    this.#down = true;
    this.#failedAt = performance.now();
    this.#queue.rejectAll(isDown());
  }

  /** `connect` of this pool, which fails immediately while Postgres is down. */
  guarding(pool: pg.Pool, connect: Connect): Connect {
    pool.on('release', (error, client) => {
      if (!error) this.#respondedAt = performance.now();
      this.#queue.giveBack(client);
    });
    return () => this.#connect(connect);
  }

  async #connect(connect: Connect): Promise<pg.PoolClient> {
    if (!this.#mayConnect()) throw isDown();
    const isTrial = this.#down;
    if (isTrial && (this.#trying || performance.now() - this.#failedAt < pauseMs)) throw isDown();
    if (isTrial) this.#trying = true;
    try {
      return await this.#queue.lend(() => this.#make(connect));
    } finally {
      if (isTrial) this.#trying = false;
    }
  }

  /** Connects through the pool, and updates the state from the result. */
  async #make(connect: Connect): Promise<pg.PoolClient> {
    try {
      const client = await connect();
      this.#down = false;
      this.#respondedAt = performance.now();
      return client;
    } catch (error) {
      const isBusy = performance.now() - this.#respondedAt < busyMs;
      if (error instanceof Error && timedOut.test(error.message) && !isBusy) this.noteDown();
      throw error;
    }
  }
}

/** The error for callers that may not try to connect. */
function isDown(): Error {
  return new Error('Connection terminated: Postgres does not answer');
}
