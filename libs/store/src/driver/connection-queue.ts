import type pg from 'pg';
import { ClientGone, currentClient, currentShare, FairQueue, type Permit } from '#admission';
import { connectTimeoutMs } from './timed-client.ts';
import { afterTurns } from './turns.ts';

/**
 * How long a request waits for a connection, in milliseconds during which this process was running.
 * Slightly longer than a connection may take to open.
 */
const waitMs = connectTimeoutMs + 100;

/**
 * Queues the requests for one of a pool's connections, fairly by share (`FairQueue`). pg-pool's own
 * queue is not usable: while Postgres is down, it would open connections one after another, even
 * for requests that gave up long ago. So we never ask the pool for more connections than it has.
 */
export class ConnectionQueue {
  readonly #queue: FairQueue;
  readonly #permits = new WeakMap<pg.PoolClient, Permit>();
  /** Rejects each request that waits for a permit. */
  readonly #rejections = new Set<(error: Error) => void>();

  constructor(connections: number) {
    this.#queue = new FairQueue('connections', connections);
  }

  /**
   * Returns the result of `connect` once the current share has a permit. Throws pg-pool's error if
   * no connection is available in time; a connection that arrives later returns to the pool. For a
   * request that only reads, throws {@link ClientGone} as soon as its client disconnects.
   */
  lend(connect: () => Promise<pg.PoolClient>): Promise<pg.PoolClient> {
    const caller = currentClient();
    if (caller?.isGone) return Promise.reject(new ClientGone());
    return new Promise((resolve, reject) => {
      let isOver = false;
      const fail = (error: Error): void => {
        isOver = true;
        stop();
        unwatch();
        this.#rejections.delete(fail);
        waiting.cancel();
        reject(error);
      };
      let unwatch = (): void => undefined;
      const begin = (permit: Permit): void => {
        this.#rejections.delete(fail);
        unwatch();
        connect().then(
          (client) => {
            stop();
            this.#permits.set(client, permit);
            if (isOver) client.release();
            else resolve(client);
          },
          (error: Error) => {
            stop();
            permit.release();
            reject(error);
          },
        );
      };
      const stop = afterTurns(waitMs, () => fail(new Error('timeout exceeded when trying to connect')));
      this.#rejections.add(fail);
      const waiting = this.#queue.enter(currentShare(), 1, begin);
      if (caller && this.#rejections.has(fail)) unwatch = caller.onGone(() => fail(new ClientGone()));
    });
  }

  /** The number of requests that wait for a connection. */
  get waiting(): number {
    return this.#rejections.size;
  }

  /** Call when a connection has been returned: its permit is free for the next request. */
  giveBack(client: pg.PoolClient): void {
    const permit = this.#permits.get(client);
    this.#permits.delete(client);
    permit?.release();
  }

  /**
   * Fails every request that waits for a permit with this error. Does not affect connections that
   * are still opening.
   */
  rejectAll(error: Error): void {
    for (const reject of this.#rejections) reject(error);
  }
}
