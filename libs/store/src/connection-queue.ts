import type pg from 'pg';
import { currentShare, FairQueue, type Permit } from '#admission';
import { connectTimeoutMs } from './patient-client.ts';
import { afterTurns } from './turns.ts';

/** How long a request waits for a connection, in milliseconds in which this process was there; a little longer than one takes to make. */
const waitMs = connectTimeoutMs + 100;

/**
 * The requests that wait for one of a pool's connections, each share its part (`FairQueue`). The queue of pg-pool cannot be left: it would go on to make a connection for each
 * request that gave up long ago, one after the other, while Postgres is away. So the pool is never asked for more connections than it has.
 */
export class ConnectionQueue {
  readonly #queue: FairQueue;
  readonly #permits = new WeakMap<pg.PoolClient, Permit>();
  /** Rejects each request that waits for a permit. */
  readonly #refusals = new Set<(error: Error) => void>();

  constructor(connections: number) {
    this.#queue = new FairQueue('connections', connections);
  }

  /** What `connect` gives, once the current share has a permit. Throws what pg-pool does when none came in time; a connection that comes later goes back. */
  lend(connect: () => Promise<pg.PoolClient>): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const refuse = (error: Error): void => {
        isOver = true;
        stop();
        this.#refusals.delete(refuse);
        waiting.cancel();
        reject(error);
      };
      const begin = (permit: Permit): void => {
        this.#refusals.delete(refuse);
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
      const stop = afterTurns(waitMs, () => refuse(new Error('timeout exceeded when trying to connect')));
      this.#refusals.add(refuse);
      const waiting = this.#queue.enter(currentShare(), 1, begin);
    });
  }

  /** A connection came back: its permit is free for the next request. */
  giveBack(client: pg.PoolClient): void {
    const permit = this.#permits.get(client);
    this.#permits.delete(client);
    permit?.release();
  }

  /** Every request that waits for a permit fails with this error. Connections that are being opened are not affected. */
  refuseAll(error: Error): void {
    for (const refuse of this.#refusals) refuse(error);
  }
}
