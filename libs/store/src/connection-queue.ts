import type pg from 'pg';
import { connectTimeoutMs } from './patient-client.ts';
import { afterTurns } from './turns.ts';

/** So long a request waits for a connection, in milliseconds in which this process was there; a little longer than one takes to make. */
const waitMs = connectTimeoutMs + 100;

interface Waiter {
  begin(): void;
  refuse(error: Error): void;
}

/**
 * The requests that wait for one of a pool's connections, first come first served. The queue of pg-pool cannot be left: it would go on to make a connection for each
 * request that gave up long ago, one after the other, while Postgres is away. So it is never asked for more than it has room for.
 */
export class ConnectionQueue {
  readonly #waiting = new Set<Waiter>();
  #free: number;

  constructor(connections: number) {
    this.#free = connections;
  }

  /** What `connect` gives, when there is room for it. Throws what pg-pool does when none came in time; a connection that comes later goes back. */
  lend(connect: () => Promise<pg.PoolClient>): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const refuse = (error: Error): void => {
        isOver = true;
        stop();
        this.#waiting.delete(waiter);
        reject(error);
      };
      const begin = (): void => {
        this.#free--;
        connect().then(
          (client) => {
            stop();
            if (isOver) client.release();
            else resolve(client);
          },
          (error: Error) => {
            stop();
            this.giveBack();
            reject(error);
          },
        );
      };
      const waiter: Waiter = { begin, refuse };
      const stop = afterTurns(waitMs, () => refuse(new Error('timeout exceeded when trying to connect')));
      if (this.#free > 0) begin();
      else this.#waiting.add(waiter);
    });
  }

  /** A connection came back, or could not be made: there is room for the next one. */
  giveBack(): void {
    this.#free++;
    const [next] = this.#waiting;
    if (!next) return;
    this.#waiting.delete(next);
    next.begin();
  }

  /** Whoever waits for room gets this error instead. Those who are being connected go on. */
  refuseAll(error: Error): void {
    for (const waiter of this.#waiting) waiter.refuse(error);
  }
}
