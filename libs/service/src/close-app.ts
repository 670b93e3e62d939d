import type { NestExpressApplication } from '@nestjs/platform-express';
import { announceClose } from '#http';

/** How long running requests may continue. */
const drainMs = 5_000;
const cutEveryMs = 100;

/**
 * Accepts no new connections, lets running requests finish for 5 s, then cuts the rest. Clients
 * keep connections for later requests; these are closed as soon as they are idle. Event streams end
 * when the application closes.
 */
export async function closeApp(app: NestExpressApplication): Promise<void> {
  const server = app.getHttpServer();
  announceClose(server);
  // Closed before Nest, which would stop listening only after its ingest has ended, and accept
  // uploads until then.
  if (server.listening) server.close();
  const since = performance.now();
  const cutting = setInterval(() => {
    if (performance.now() - since < drainMs) server.closeIdleConnections();
    else server.closeAllConnections();
  }, cutEveryMs);
  try {
    await app.close(); // resolves when the last connection is closed
  } finally {
    clearInterval(cutting);
  }
}
