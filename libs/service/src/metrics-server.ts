import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type Config, secretOf } from '#config';
import { LiveSecret } from '#config/secrets';
import { type Logger, renderMetrics, watchProcess } from '#telemetry';
import { listenFault, localAddress } from './address.ts';
import type { Lifetime } from './lifetime.ts';
import { StartFault } from './start-fault.ts';

/**
 * How long the previous token is still accepted after a change: Prometheus may read its file later.
 */
const rotationMs = 600_000;

/**
 * Serves only `/metrics`, on a separate port if one is set: metrics are for the operator, and not
 * available on the public port. On an address that other machines reach, the server requires a
 * token. Throws {@link StartFault} if it may not or cannot listen.
 */
export async function serveMetrics(config: Config, logger: Logger, lifetime: Lifetime): Promise<void> {
  const { metricsHost: host, metricsPort: port } = config.telemetry;
  if (port === undefined) return;
  const secret = secretOf(config, 'PLOTLINE_METRICS_TOKEN');
  const token = secret && new LiveSecret(secret);
  if (token === undefined && !isLoopback(host)) {
    throw new StartFault(
      `PLOTLINE_METRICS_HOST lets other machines read the metrics, but PLOTLINE_METRICS_TOKEN is not set. Set the token, or unset the host.`,
    );
  }
  watchProcess();
  const server = createServer((request, response) => {
    if (token && !token.within(rotationMs).some((known) => isSame(request.headers.authorization ?? '', `Bearer ${known}`))) {
      response.setHeader('WWW-Authenticate', 'Bearer realm="plotline metrics"');
      end(response, 401, 'Not signed in');
    } else if (request.url !== '/metrics') end(response, 404, 'There is nothing at this address');
    else if (request.method !== 'GET') end(response, 405, 'Method not allowed');
    else void sendMetrics(response, logger);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFault(error, { host, port }, 'PLOTLINE_METRICS')));
    server.listen(port, host, resolve);
  });
  lifetime.onStop(() => close(server));
  const address = server.address();
  logger.info('metrics are served', { url: `${localAddress(host, typeof address === 'object' && address ? address.port : port)}/metrics` });
}

async function sendMetrics(response: ServerResponse, logger: Logger): Promise<void> {
  try {
    const { contentType, text } = await renderMetrics();
    response.setHeader('Content-Type', contentType);
    response.end(text);
  } catch (error) {
    logger.warn('the metrics could not be read', { err: error });
    end(response, 500, 'Something went wrong on our side');
  }
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' });
  response.end(`${text}\n`);
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Takes constant time. */
function isSame(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
