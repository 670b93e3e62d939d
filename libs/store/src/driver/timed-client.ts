import { socketOf } from './pg-internals.ts';
import { PreparingClient } from './preparing-client.ts';
import { afterTurns } from './turns.ts';

/** How long connecting may take, in milliseconds for which this process was running. */
export const connectTimeoutMs = 2_000;

type Connected = (error: Error | null, ...rest: unknown[]) => void;

/**
 * A connection whose timeout counts only time in which this process was running, so it gives up
 * when Postgres does not respond, but not when this process was busy. Supports only
 * `connect(callback)`, which pools use.
 */
export class TimedClient extends PreparingClient {
  override connect = ((callback: Connected): void => {
    const connect = PreparingClient.prototype.connect as unknown as (callback: Connected) => void;
    const socket = socketOf(this);
    let isLate = false;
    const stop = afterTurns(connectTimeoutMs, () => {
      isLate = true;
      socket.destroy();
    });
    // Called synchronously, as in node-postgres: later, error listeners could not be attached in
    // time.
    connect.call(this, (error, ...rest) => {
      stop();
      callback(error && isLate ? new Error('Connection terminated due to connection timeout', { cause: error }) : error, ...rest);
    });
  }) as typeof PreparingClient.prototype.connect;
}
