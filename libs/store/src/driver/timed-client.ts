import { socketOf } from './pg-internals.ts';
import { PreparingClient } from './preparing-client.ts';
import { afterTurns } from './turns.ts';

/** How long connecting may take, in milliseconds during which this process was running. */
export const connectTimeoutMs = 2_000;

type Connected = (error: Error | null, ...rest: unknown[]) => void;

/**
 * A connection with a timeout that counts only the time during which this process was running. So
 * it gives up if Postgres does not respond, but not if this process was busy. Supports only
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
    // Calls the driver synchronously, as node-postgres does. Otherwise, error listeners would be
    // attached too late.
    connect.call(this, (error, ...rest) => {
      stop();
      callback(error && isLate ? new Error('Connection terminated due to connection timeout', { cause: error }) : error, ...rest);
    });
  }) as typeof PreparingClient.prototype.connect;
}
