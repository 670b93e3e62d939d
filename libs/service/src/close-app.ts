import type { NestExpressApplication } from '@nestjs/platform-express';
import { announceClose } from '#http';

/** What is under way may go on for this long. */
const drainMs = 5_000;
const cutEveryMs = 100;

/**
 * Takes no new connections, lets running requests finish for 5 s, then cuts those that still run. Clients keep connections for later
 * requests; these are closed as soon as nothing runs on them. Event streams end by themselves when the application closes.
 */
export async function closeApp(app: NestExpressApplication): Promise<void> {
  const server = app.getHttpServer();
  announceClose(server);
  // Before Nest does: that would stop listening only when its ingest has ended, and take uploads until then.
  if (server.listening) server.close();
  const since = performance.now();
  const cutting = setInterval(() => {
    if (performance.now() - since < drainMs) server.closeIdleConnections();
    else server.closeAllConnections();
  }, cutEveryMs);
  try {
    await app.close(); // resolves when the last connection is gone
  } finally {
    clearInterval(cutting);
  }
}
