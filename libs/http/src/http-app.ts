import 'reflect-metadata';
import type { Server } from 'node:http';
import type { LoggerService, Type, DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { Problem } from '#model';
import { ClientAddresses } from './client-addresses.ts';
import { continueWhenRead } from './early-response.ts';
import { watchResponses } from './closing.ts';
import { PublicUrl } from './public-url.ts';
import { parseQuery } from './query.ts';
import { startRequest } from './request-context.ts';
import { cutSlowReaders } from './slow-readers.ts';
import { measureRequest } from './request-metrics.ts';
import { RoomyAdapter } from './roomy-adapter.ts';
import { RouteTable } from './route-table.ts';
import { checkRoutes, liveRoutes } from './routes.ts';
import { respondUnparsed } from './unparsed-requests.ts';

/** Options for an HTTP process. */
export interface HttpAppOptions {
  readonly logger?: LoggerService | false;
}

/**
 * Creates the HTTP application for a root module (which imports {@link HttpModule}), ready to
 * `listen`; throws if a route is not guarded. URLs are matched literally: a URL with different
 * case, a trailing slash or a double slash is a different URL and returns 404.
 */
export async function createHttpApp(rootModule: Type | DynamicModule, options: HttpAppOptions = {}): Promise<NestExpressApplication> {
  const server = express();
  server
    .set('case sensitive routing', true)
    .set('strict routing', true)
    .set('query parser', parseQuery)
    .set('etag', false)
    .disable('x-powered-by');
  server.use(startRequest, measureRequest);
  const app = await NestFactory.create<NestExpressApplication>(rootModule, new RoomyAdapter(server), {
    bodyParser: false,
    abortOnError: false,
    ...(options.logger === undefined ? {} : { logger: options.logger }),
  });
  server.set('trust proxy', [...app.get(ClientAddresses, { strict: false }).trustedProxies]);
  server.use(securityHeaders(app.get(PublicUrl, { strict: false })));
  server.use(rejectOptions);
  await app.init();
  tuneConnections(app.getHttpServer());
  const routes = liveRoutes(app);
  checkRoutes(routes, expressRoutes(server));
  app.get(RouteTable).load(routes);
  return app;
}

/**
 * Upload bodies can arrive over slow lines: the code that reads them times out idle bodies, so
 * there is no total timeout.
 */
function tuneConnections(server: Server): void {
  server.requestTimeout = 3_600_000;
  server.headersTimeout = 60_000;
  // Longer than clients and proxies keep connections open, so they never send on a connection that
  // is being closed.
  server.keepAliveTimeout = 75_000;
  server.on('checkContinue', (request, response) => {
    continueWhenRead(request, response);
    server.emit('request', request, response);
  });
  watchResponses(server);
  cutSlowReaders(server);
  respondUnparsed(server);
}

/**
 * Headers for every response. Handlers may set their own `Cache-Control` or
 * `Content-Security-Policy`.
 */
function securityHeaders(publicUrl: PublicUrl) {
  const headers: Record<string, string> = {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
  };
  if (publicUrl.secure) headers['Strict-Transport-Security'] = 'max-age=31536000';
  return (_request: Request, response: Response, next: NextFunction): void => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    next();
  };
}

/**
 * Express would respond to OPTIONS itself, bypassing the guard. There are no cross-origin callers.
 */
function rejectOptions(request: Request, _response: Response, next: NextFunction): void {
  if (request.method === 'OPTIONS')
    next(new Problem('method-not-allowed', 'OPTIONS is not supported: pages of other origins cannot use this API.'));
  else next();
}

/** "METHOD path" of every route registered in Express. */
function expressRoutes(server: Express): string[] {
  const { stack } = server.router;
  return stack.flatMap(({ route }) => (route ? methodsOf(route).map((method) => `${method} ${route.path}`) : []));
}

function methodsOf(route: { stack: readonly { method?: string }[] }): string[] {
  return [...new Set(route.stack.map(({ method }) => (method ?? 'all').toUpperCase()))];
}
