import { applyDecorators, createParamDecorator, type ExecutionContext, HttpCode, SetMetadata } from '@nestjs/common';
import type { Request } from 'express';
import type { Caller as AuthenticatedCaller } from '#auth';
import { contextOf } from './request-context.ts';

export const metadata = { public: 'plotline:public', reads: 'plotline:reads', streams: 'plotline:streams', page: 'plotline:page' } as const;

/** The handler answers without credentials. Its route must also be in `publicRoutes`, or the service does not start. */
export const Public = () => SetMetadata(metadata.public, true);

/** A POST that only reads (a query too long for an address): callers that may not write may send it, and it answers 200. */
export const Reads = () => applyDecorators(SetMetadata(metadata.reads, true), HttpCode(200));

/** The handler reads the body itself, as bytes. Without this, bodies are JSON and read before the handler runs. */
export const StreamsBody = () => SetMetadata(metadata.streams, true);

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

/** Parameter decorator: the id of the request, as in its problems and log lines. */
export const RequestId = createParamDecorator(
  (_: unknown, context: ExecutionContext): string => contextOf(context.switchToHttp().getRequest<Request>()).id,
);
