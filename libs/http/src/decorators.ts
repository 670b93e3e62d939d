import { applyDecorators, createParamDecorator, type ExecutionContext, HttpCode, SetMetadata } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller as AuthenticatedCaller } from '#auth';
import type { Action } from '#experiments';
import { contextOf } from './request-context.ts';

export const metadata = {
  public: 'plotline:public',
  uncounted: 'plotline:uncounted',
  action: 'plotline:action',
  reads: 'plotline:reads',
  streams: 'plotline:streams',
  names: 'plotline:names',
  form: 'plotline:form',
  oauth: 'plotline:oauth',
  page: 'plotline:page',
  visits: 'plotline:visits',
} as const;

/**
 * The handler needs no credentials and has a rate limit per address. Its route must also be in
 * `publicRoutes`, or the service does not start.
 */
export const Public = () => SetMetadata(metadata.public, true);

/**
 * For a public handler that is cheap and called often, by probes or by every page: its requests do
 * not count against the rate limit.
 */
export const Uncounted = () => SetMetadata(metadata.uncounted, true);

/**
 * The handler's action, from the table of permissions (`rules` of #experiments). Every handler that
 * is not `@Public()` must declare one, or the service does not start.
 */
export const Does = (action: Action) => SetMetadata(metadata.action, action);

/** The experiment of a request, from its URL; null if there is none. */
export type Visited = (request: Request) => string | null;

/** The experiment that the handler shows to visitors, if its URL has no `:experimentId`. */
export const Visits = (visited: Visited) => SetMetadata(metadata.visits, visited);

/**
 * A POST that only reads (a query too long for a URL): it returns 200, and accepts no
 * `Idempotency-Key`.
 */
export const Reads = () => applyDecorators(SetMetadata(metadata.reads, true), HttpCode(200));

/**
 * The handler reads the body itself, as bytes. Without this, bodies are JSON and are read before
 * the handler runs.
 */
export const StreamsBody = () => SetMetadata(metadata.streams, true);

/** The body can list thousands of runs or tags: its limit is `limits.maxQueryBodyBytes`. */
export const NamesSeries = () => SetMetadata(metadata.names, true);

/**
 * The body can also be a form (application/x-www-form-urlencoded), which arrives as an object of
 * strings. From a signed-in browser, it must contain its session's `csrf_token`, which is removed
 * before the handler runs.
 */
export const TakesForm = () => SetMetadata(metadata.form, true);

/**
 * The handler implements OAuth for third-party clients. It accepts forms with these `parameters`,
 * and returns errors in the form of RFC 6749, 5.2, together with the fields of our problems.
 */
export const SpeaksOAuth = (parameters: readonly string[]) => applyDecorators(TakesForm(), SetMetadata(metadata.oauth, parameters));

/**
 * The handler returns HTML: its problems are pages, and "not signed in" is the same 404 as "not
 * found".
 */
export const Page = () => SetMetadata(metadata.page, true);

/** The caller. Always present in handlers that are not `@Public()`. */
export type Caller = AuthenticatedCaller;

/** Parameter decorator: the caller. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedCaller => {
  const { caller } = contextOf(context.switchToHttp().getRequest<Request>());
  if (!caller) throw new Error('a public handler has no caller');
  return caller;
});

/** Parameter decorator: the workspace's remaining requests. */
export const RequestsLeft = createParamDecorator(
  (_: unknown, context: ExecutionContext): number => contextOf(context.switchToHttp().getRequest<Request>()).requestsLeft ?? 0,
);
