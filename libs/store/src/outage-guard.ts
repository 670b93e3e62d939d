import type pg from 'pg';

/** So long after a vain attempt the next one is made. */
const pauseMs = 250;

/** A Postgres that answered somebody so recently is busy, not away: a connection takes long to make where many are made at once. */
const busyMs = 1_000;

/** What node-postgres says when a connection could not be made in time; see also `store-error.ts`. */
const timedOut = /^(Connection terminated due to connection timeout|timeout expired)/;

/**
 * Knows whether a pool's Postgres was away when somebody last asked. While it is, one request at a time tries to connect and waits for it; all others are
 * told at once. So a request with several steps does not wait for each of them, and few connections pile up before a network that swallows them.
 */
export class OutageGuard {
  #away = false;
  #trying = false;
  #failedAt = -Infinity;
  #answeredAt = -Infinity;

  /** From now on Postgres is away, until a connection is made. */
  noteAway(): void {
    this.#away = true;
    this.#failedAt = performance.now();
  }

  /** Puts this guard before `pool.connect`. */
  guard(pool: pg.Pool): void {
    const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
    pool.connect = (() => this.#connect(connect)) as typeof pool.connect;
    pool.on('release', (error) => {
      if (!error) this.#answeredAt = performance.now();
    });
  }

  async #connect(connect: () => Promise<pg.PoolClient>): Promise<pg.PoolClient> {
    const isTrial = this.#away;
    if (isTrial && (this.#trying || performance.now() - this.#failedAt < pauseMs)) {
      throw new Error('Connection terminated: Postgres does not answer');
    }
    if (isTrial) this.#trying = true;
    try {
      const client = await connect();
      this.#away = false;
      this.#answeredAt = performance.now();
      return client;
    } catch (error) {
      const isBusy = performance.now() - this.#answeredAt < busyMs;
      if (error instanceof Error && timedOut.test(error.message) && !isBusy) this.noteAway();
      throw error;
    } finally {
      if (isTrial) this.#trying = false;
    }
  }
}
