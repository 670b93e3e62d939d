import { type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createServer, type ViteDevServer } from 'vite';

export interface WebServerOptions {
  readonly root: string;
  readonly port: number;
  readonly serviceUrl: string;
}

/** Requests that Vite serves: modules of the page and their imports. */
const servedByVite = /^\/(@|src\/|node_modules\/|__)/;

/**
 * Serves the service's pages with scripts from the sources and with hot reload; forwards everything
 * else to the service.
 */
export async function serveWeb({ root, port, serviceUrl }: WebServerOptions): Promise<ViteDevServer> {
  const server = await createServer({
    configFile: join(root, 'apps/web/vite.config.ts'),
    server: { port, strictPort: true, host: 'localhost', fs: { allow: [root] } },
    cacheDir: join(root, '.cache/vite'),
    logLevel: 'warn',
    plugins: [
      {
        name: 'pages-of-the-service',
        configureServer: (vite) => {
          vite.middlewares.use((request, response, next) => {
            if (servedByVite.test(request.url ?? '')) next();
            else passOn(request, response, { vite, serviceUrl });
          });
        },
      },
    ],
  });
  await server.listen();
  return server;
}

function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  { vite, serviceUrl }: { vite: ViteDevServer; serviceUrl: string },
): void {
  const { 'accept-encoding': _, ...headers } = request.headers; // The page is modified in transit.
  const sent = httpRequest(new URL(request.url ?? '/', serviceUrl), { method: request.method, headers }, (result) => {
    if (!result.headers['content-type']?.startsWith('text/html')) {
      response.writeHead(result.statusCode ?? 502, result.headers);
      result.pipe(response);
      return;
    }
    // The page's policy allows only files from the build.
    const { 'content-security-policy': __, 'content-length': ___, ...kept } = result.headers;
    text(result)
      .then((html) => vite.transformIndexHtml(request.url ?? '/', fromSources(html)))
      .then((html) => response.writeHead(result.statusCode ?? 502, kept).end(html))
      .catch((error: Error) => response.writeHead(500).end(error.message));
  });
  sent.on('error', () => {
    if (!response.headersSent) response.writeHead(503, { 'retry-after': '1' });
    response.end('The service is starting. Reload in a moment.');
  });
  request.pipe(sent);
}

/**
 * Returns a page with the script from the sources instead of the build, and without style sheets,
 * because the script imports them.
 */
export function fromSources(html: string): string {
  let scripts = 0;
  const changed = html
    .replace(/<script\b[^>]*\btype="module"[^>]*><\/script>/g, () =>
      scripts++ === 0 ? '<script type="module" src="/src/main.tsx"></script>' : '',
    )
    .replace(/<link\b[^>]*\brel="modulepreload"[^>]*>/g, '');
  return scripts === 0 ? html : changed.replace(/<link\b[^>]*\brel="stylesheet"[^>]*>/g, '');
}
