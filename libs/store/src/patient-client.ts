import type { Socket } from 'node:net';
import { PreparingClient } from './preparing-client.ts';
import { afterTurns } from './turns.ts';

/** How long a connection may take to make, in milliseconds in which this process was there to make it. */
export const connectTimeoutMs = 2_000;

type Connected = (error: Error | null, ...rest: unknown[]) => void;

/** A connection that gives up when Postgres does not answer, and not when this process had no time to look. For pools: only `connect(callback)`. */
export class PatientClient extends PreparingClient {
  override connect = ((callback: Connected): void => {
    const connect = PreparingClient.prototype.connect as unknown as (callback: Connected) => void;
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection;
    let isLate = false;
    const stop = afterTurns(connectTimeoutMs, () => {
      isLate = true;
      stream.destroy();
    });
    // Called where node-postgres calls it: a moment later would be too late to listen to errors.
    connect.call(this, (error, ...rest) => {
      stop();
      callback(error && isLate ? new Error('Connection terminated due to connection timeout', { cause: error }) : error, ...rest);
    });
  }) as typeof PreparingClient.prototype.connect;
}
