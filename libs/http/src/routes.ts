import type { INestApplicationContext } from '@nestjs/common';
import { RequestMethod } from '@nestjs/common';
import { rules } from '#experiments';
import { metadata } from './decorators.ts';
import { controllerMethods } from './controller-methods.ts';

/**
 * The only routes that need no credentials: the API document, the files of all pages, public keys,
 * routes that accept a credential (sign-in, invitation and share links, and the token exchange),
 * and the handshake of TensorBoard's uploader, which is sent before credentials.
 */
export const publicRoutes: readonly string[] = [
  'GET /healthz',
  'GET /readyz',
  'GET /api/v1/server',
  'GET /api/v1/limits',
  'GET /api/v1/openapi.json',
  'GET /assets/:file',
  'GET /sign-in/:secret',
  'GET /join/:secret',
  'GET /join',
  'GET /.well-known/jwks.json',
  'GET /.well-known/oauth-authorization-server',
  'POST /api/v1/token',
  'GET /sign-in',
  'GET /sign-in/oidc',
  'GET /sign-in/oidc/callback',
  'GET /device',
  'POST /api/v1/device',
  'POST /api/v1/revoke',
  'GET /s/:secret',
  'GET /embed/:secret',
  'POST /api/uploader',
];

/** One handler of the running service. */
export interface LiveRoute {
  /** `GET`, `POST` … in upper case. */
  readonly method: string;
  /** As declared, e.g. `/api/v1/experiments/:experimentId`. */
  readonly path: string;
  /** `Class.method`. */
  readonly handler: string;
  readonly public: boolean;
  /** Whether the handler is public and its requests count against their address's rate limit. */
  readonly counted: boolean;
  /** Whether the handler only reads, regardless of its HTTP method. */
  readonly reads: boolean;
  readonly page: boolean;
  /** The handler's action, from the table of permissions. */
  readonly action: string | null;
}

/** All handlers of all controllers, read from the running application. */
export function liveRoutes(app: INestApplicationContext): LiveRoute[] {
  const routes: LiveRoute[] = [];
  for (const { controller, name, method: handler } of controllerMethods(app)) {
    const requestMethod: unknown = Reflect.getMetadata('method', handler);
    if (typeof requestMethod !== 'number') continue;
    const marked = (key: string): boolean => Reflect.getMetadata(key, handler) === true;
    const method = RequestMethod[requestMethod] ?? String(requestMethod);
    for (const prefix of pathsOf(controller)) {
      for (const path of pathsOf(handler)) {
        routes.push({
          method,
          path: join(prefix, path),
          handler: name,
          public: marked(metadata.public),
          counted: marked(metadata.public) && !marked(metadata.uncounted),
          reads: method === 'GET' || method === 'HEAD' || marked(metadata.reads),
          page: marked(metadata.page),
          action: actionOf(handler),
        });
      }
    }
  }
  return routes;
}

/**
 * Throws unless exactly the expected routes are public, all others declare an action, and every
 * Express route is a handler behind the guard. `expressRoutes`: "METHOD path" of each registered
 * route.
 */
export function checkRoutes(routes: readonly LiveRoute[], expressRoutes: readonly string[]): void {
  const faults: string[] = [];
  const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  for (const route of routes) {
    const listed = publicRoutes.includes(`${route.method} ${route.path}`);
    if (route.public && !listed)
      faults.push(`${route.handler} is public, but ${route.method} ${route.path} is not in publicRoutes (libs/http/src/routes.ts)`);
    if (!route.public && route.action === null)
      faults.push(`${route.handler} has no action: add @Does with an action of libs/experiments/src/permissions.ts`);
    if (route.public && route.action !== null)
      faults.push(`${route.handler} is public, so its action ${route.action} is never checked: remove @Public or @Does`);
    if (!route.public && listed) faults.push(`${route.method} ${route.path} is in publicRoutes, but ${route.handler} is not public`);
  }
  for (const route of expressRoutes) if (!known.has(route)) faults.push(`${route} has no guard, because no controller declares it`);
  const seen = new Set<string>();
  for (const { method, path, handler } of routes) {
    const key = `${method} ${path.replace(/:[A-Za-z]+/g, ':')}`;
    if (seen.has(key)) faults.push(`${handler} is never reached: ${method} ${path} is declared twice`);
    seen.add(key);
  }
  if (faults.length > 0) throw new Error(`The routes are not safe to serve. ${faults.join('; ')}.`);
}

/** An action from the table, or null. */
function actionOf(handler: object): string | null {
  const action: unknown = Reflect.getMetadata(metadata.action, handler);
  return typeof action === 'string' && Object.hasOwn(rules, action) ? action : null;
}

function pathsOf(target: object): readonly string[] {
  const path: unknown = Reflect.getMetadata('path', target);
  if (Array.isArray(path)) return path.map(String);
  return [typeof path === 'string' ? path : '/'];
}

function join(prefix: string, path: string): string {
  const parts = `${prefix}/${path}`.split('/').filter((part) => part !== '');
  return `/${parts.join('/')}`;
}
