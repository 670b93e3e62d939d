import { existsSync } from 'node:fs';
import { request } from 'node:http';
import type { PartState } from './parts.ts';

/**
 * Checks whether the Docker engine at `DOCKER_HOST`, or at the usual socket, responds (`GET
 * /_ping`).
 */
export async function findDockerEngine(host = process.env.DOCKER_HOST): Promise<PartState> {
  const address = host ?? 'unix:///var/run/docker.sock';
  const url = new URL(address.replace(/^tcp:/, 'http:'));
  if (url.protocol === 'unix:' && !existsSync(url.pathname))
    return { missing: `no Docker engine (there is no ${url.pathname}, and DOCKER_HOST is not set)` };
  const target = url.protocol === 'unix:' ? { socketPath: url.pathname } : { host: url.hostname, port: url.port };
  return new Promise((resolve) => {
    const ping = request({ ...target, path: '/_ping', timeout: 3_000 }, (response) => {
      response.resume();
      resolve(
        response.statusCode === 200
          ? { found: address }
          : { missing: `the Docker engine at ${address} responded with ${response.statusCode}` },
      );
    });
    ping.once('timeout', () => ping.destroy(new Error('no response within 3 s')));
    ping.once('error', (error) => resolve({ missing: `no Docker engine at ${address} (${error.message})` }));
    ping.end();
  });
}
