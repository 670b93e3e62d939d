import type { NextFunction, Request, Response } from 'express';
import { countRequest } from '#telemetry';

const methods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

/**
 * Middleware: counts the request when its response has ended, by the route that served it (`none`
 * if there was no such route).
 */
export function measureRequest(request: Request, response: Response, next: NextFunction): void {
  const since = performance.now();
  response.once('close', () => {
    const { path } = (request.route as { path?: unknown } | undefined) ?? {};
    const method = methods.has(request.method) ? request.method : 'other';
    countRequest(
      { method, route: typeof path === 'string' ? path : 'none', status: response.statusCode },
      (performance.now() - since) / 1_000,
    );
  });
  next();
}
