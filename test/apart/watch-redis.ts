import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The commands that clients send to a Redis server. */
export interface RedisWatch {
  /** The recorded commands with their arguments, in the format of MONITOR. */
  lines(): string[];
  close(): void;
}

/**
 * Records every command from now on; the Redis at `url` has no password. Uses a separate
 * connection, because ioredis fails if commands arrive together with the response to MONITOR.
 */
export async function watchRedis(url: string): Promise<RedisWatch> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  let received = '';
  socket.on('data', (piece: string) => (received += piece));
  await once(socket, 'connect');
  socket.on('error', () => undefined); // Redis may stop before the test does.
  socket.write('MONITOR\r\n');
  while (!received.includes('\n')) await sleep(5);
  if (!received.startsWith('+OK\r\n')) throw new Error(`unexpected response to MONITOR: ${received}`);
  return {
    lines: () => received.split('\r\n').slice(1, -1),
    close: () => void socket.destroy(),
  };
}
