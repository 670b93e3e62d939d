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

/** The handler answers without credentials, each address so often a minute. Its route must also be in `publicRoutes`, or the service does not start. */
export const Public = () => SetMetadata(metadata.public, true);

/** Of a public handler that costs nothing and is asked often, by probes or by every page: its requests are not counted by the address that they come from. */
export const Uncounted = () => SetMetadata(metadata.uncounted, true);

/** What the handler does, of the table of permissions (`rules` of #experiments). Each handler that is not `@Public()` says it, or the service does not start. */
export const Does = (action: Action) => SetMetadata(metadata.action, action);

/** The experiment that a request is about, from its address; null: it names none. */
export type Visited = (request: Request) => string | null;

/** Which experiment the handler shows to visitors, where no `:experimentId` in its address says so. */
export const Visits = (visited: Visited) => SetMetadata(metadata.visits, visited);

/** A POST that only reads (a query too long for an address): it answers 200, and takes no `Idempotency-Key`. */
export const Reads = () => applyDecorators(SetMetadata(metadata.reads, true), HttpCode(200));

/** The handler reads the body itself, as bytes. Without this, bodies are JSON and read before the handler runs. */
export const StreamsBody = () => SetMetadata(metadata.streams, true);

/** The body names runs or tags, thousands of them: it may have `limits.maxQueryBodyBytes`. */
export const NamesSeries = () => SetMetadata(metadata.names, true);

/**
 * The body may also be a form (application/x-www-form-urlencoded), which arrives as an object of texts. From a signed-in browser it carries the `csrf_token` of
 * its session, which the handler does not see.
 */
export const TakesForm = () => SetMetadata(metadata.form, true);

/**
 * The handler speaks OAuth, to clients that others wrote: it takes forms, of which it knows these `parameters`, and what goes wrong is told in the form of RFC 6749, 5.2,
 * with the fields of our problems beside it.
 */
export const SpeaksOAuth = (parameters: readonly string[]) => applyDecorators(TakesForm(), SetMetadata(metadata.oauth, parameters));

/** The handler answers people with HTML: its problems are a page, and "not signed in" is the same 404 as "not there". */
export const Page = () => SetMetadata(metadata.page, true);

/** Who asks. In handlers that are not `@Public()`, always there. */
export type Caller = AuthenticatedCaller;

/** Parameter decorator: who asks. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedCaller => {
  const { caller } = contextOf(context.switchToHttp().getRequest<Request>());
  if (!caller) throw new Error('a public handler has no caller');
  return caller;
});

/** Parameter decorator: how many requests the workspace may still send now. */
export const RequestsLeft = createParamDecorator(
  (_: unknown, context: ExecutionContext): number => contextOf(context.switchToHttp().getRequest<Request>()).requestsLeft ?? 0,
);

/** Parameter decorator: the id of the request, as in its problems and log lines. */
export const RequestId = createParamDecorator(
  (_: unknown, context: ExecutionContext): string => contextOf(context.switchToHttp().getRequest<Request>()).id,
);
