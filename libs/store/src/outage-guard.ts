import type pg from 'pg';
import { ConnectionQueue } from './connection-queue.ts';

/** So long after a vain attempt the next one is made. */
const pauseMs = 250;

/** A Postgres that answered somebody so recently is busy, not away: a connection takes long to make where many are made at once. */
const busyMs = 1_000;

/** What `PatientClient` says when a connection could not be made in time; see also `store-error.ts`. */
const timedOut = /^Connection terminated due to connection timeout/;

/**
 * Knows whether a pool's Postgres was away when somebody last asked. While it is, one request at a time tries to connect and waits for it; all others are
 * told at once, and so are those who wait for room in the pool. So a request with several steps does not wait for each of them, and few connections pile up before a
 * network that swallows them.
 */
export class OutageGuard {
  readonly #queue: ConnectionQueue;
  #away = false;
  #trying = false;
  #failedAt = -Infinity;
  #answeredAt = -Infinity;

  /** `connections`: how many the pool has. */
  constructor(connections: number) {
    this.#queue = new ConnectionQueue(connections);
  }

  /** From now on Postgres is away, until a connection is made. */
  noteAway(): void {
    this.#away = true;
    this.#failedAt = performance.now();
    this.#queue.refuseAll(isAway());
  }

  /** Puts this guard before `pool.connect`. */
  guard(pool: pg.Pool): void {
    const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
    pool.connect = (() => this.#connect(connect)) as typeof pool.connect;
    pool.on('release', (error, client) => {
      if (!error) this.#answeredAt = performance.now();
      this.#queue.giveBack(client);
    });
  }

  async #connect(connect: () => Promise<pg.PoolClient>): Promise<pg.PoolClient> {
    const isTrial = this.#away;
    if (isTrial && (this.#trying || performance.now() - this.#failedAt < pauseMs)) throw isAway();
    if (isTrial) this.#trying = true;
    try {
      return await this.#queue.lend(() => this.#make(connect));
    } finally {
      if (isTrial) this.#trying = false;
    }
  }

  /** Asks the pool, and notes what that says of Postgres. */
  async #make(connect: () => Promise<pg.PoolClient>): Promise<pg.PoolClient> {
    try {
      const client = await connect();
      this.#away = false;
      this.#answeredAt = performance.now();
      return client;
    } catch (error) {
      const isBusy = performance.now() - this.#answeredAt < busyMs;
      if (error instanceof Error && timedOut.test(error.message) && !isBusy) this.noteAway();
      throw error;
    }
  }
}

/** For those who are not let try. */
function isAway(): Error {
  return new Error('Connection terminated: Postgres does not answer');
}
