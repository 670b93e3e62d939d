import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts another site with one page. */
export async function serveHtml(html: string): Promise<{ readonly origin: string; readonly close: () => Promise<void> }> {
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(`<!doctype html>${html}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
