import { createServer } from 'node:net';
import type { Config } from '#config';
import { StartFault } from './start-fault.ts';

/** Where the service listens, and its URLs. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** The URL for programs on this machine, e.g. `http://127.0.0.1:6100`. */
  readonly localUrl: string;
  /** The base of links: PLOTLINE_PUBLIC_URL, otherwise the local URL. */
  readonly publicUrl: string;
}

/**
 * Determines where to listen, before anything is started. Throws {@link StartFault} if the service
 * could not listen there; with port 0, any free port is used.
 */
export async function chooseAddress({ host, port: wanted, publicUrl }: Config['server']): Promise<Address> {
  const port = await tryPort(host, wanted);
  const localUrl = localAddress(host, port);
  return { host, port, localUrl, publicUrl: publicUrl ?? localUrl };
}

/** The URL at which programs on this machine reach a server on `host` and `port`. */
export function localAddress(host: string, port: number): string {
  return `http://${loopback(host)}:${port}`;
}

/**
 * Whether the service listens on all addresses of the machine, so that other machines can reach it.
 */
export function listensEverywhere({ host }: Address): boolean {
  return host === '0.0.0.0' || host === '::';
}

/**
 * Explains why `listen` failed, and which settings specify the address; returns other errors
 * unchanged.
 */
export function listenFault(
  error: unknown,
  { host, port }: Pick<Address, 'host' | 'port'>,
  settings: 'PLOTLINE' | 'PLOTLINE_METRICS' = 'PLOTLINE',
): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const say = (text: string) => new StartFault(text, { cause: error });
  switch (error.code) {
    case 'EADDRINUSE':
      return say(
        `Port ${port} of ${host} is in use by another program. Stop it, or choose another port with ${settings}_PORT (0 for any free port).`,
      );
    case 'EACCES':
      return say(`This user may not listen on port ${port}. Choose a port of at least 1024 with ${settings}_PORT.`);
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
      return say(
        `This machine has no address ${host} to listen on. Choose another address with ${settings}_HOST, or unset it for 127.0.0.1.`,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return say(`${settings}_HOST is ${host}, but that name has no address. Unset it for 127.0.0.1.`);
    default:
      return error;
  }
}

function tryPort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => reject(listenFault(error, { host, port })));
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(address && typeof address === 'object' ? address.port : port));
    });
  });
}

/** The address at which a program on this machine reaches a service that listens on `host`. */
function loopback(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
