import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What anybody sends to a Redis. */
export interface RedisWatch {
  /** The commands so far, each with what it holds, as MONITOR writes them. */
  lines(): string[];
  close(): void;
}

/**
 * Hears every command from now on; the Redis at `url` asks for no password. By a connection of its own: where commands come at the same moment as the answer to
 * MONITOR, ioredis takes the first of them for an answer to nothing, and fails.
 */
export async function watchRedis(url: string): Promise<RedisWatch> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  let heard = '';
  socket.on('data', (piece: string) => (heard += piece));
  await once(socket, 'connect');
  socket.on('error', () => undefined); // Redis may end before the test does
  socket.write('MONITOR\r\n');
  while (!heard.includes('\n')) await sleep(5);
  if (!heard.startsWith('+OK\r\n')) throw new Error(`Redis does not say what is sent to it: ${heard}`);
  return {
    lines: () => heard.split('\r\n').slice(1, -1),
    close: () => void socket.destroy(),
  };
}
