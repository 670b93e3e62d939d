import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';

/**
 * The port stored in this file if it is free, so that connected tools continue to work after a
 * restart; otherwise 0.
 */
export async function lastPort(portFile: string, host: string): Promise<number> {
  const last = await readFile(portFile, 'utf8').then(Number, () => 0);
  return last > 0 && last < 65_536 ? freePort(host, last) : 0;
}

/** Stores the port for the next start. */
export async function keepPort(portFile: string, port: number): Promise<void> {
  await writeFile(portFile, `${port}\n`, { mode: 0o600 });
}

/** Returns `wanted` (or any port, for 0) if it is free; otherwise 0. */
export function freePort(host: string, wanted: number): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(0));
    server.listen({ host, port: wanted, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
