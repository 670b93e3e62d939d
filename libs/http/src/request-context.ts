import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { runForStranger } from '#admission';
import type { Caller } from '#auth';
import type { Action } from '#experiments';
import { placeOf } from './place.ts';

/** What is known about a request while it is served. */
export interface RequestContext {
  readonly id: string;
  /** Undefined until credentials were looked at; null: there are none that hold. */
  caller: Caller | null | undefined;
  /** Of the cookie that was looked at, whether it holds or not; null: none was. */
  sessionSecret: string | null;
  /** What the handler does; undefined where none was found, and of public ones. */
  action: Action | undefined;
  /** The experiment that somebody who is no member may visit by this request; null: none. */
  visits: string | null;
  /** A handler was found and let the request in. Before that, even "no such address" is said to known callers only. */
  admitted: boolean;
  /** Of the workspace's requests of this minute; null before the guard has counted this one. */
  requestsLeft: number | null;
  /** Problems are shown to a person, as a page. */
  page: boolean;
  /** Problems are told to a client of OAuth. */
  oauth: boolean;
  readonly response: Response;
  /** Made when somebody asks for it: most requests never do. */
  ended: AbortSignal | undefined;
}

/** What is used of a response here. */
export interface Response {
  readonly destroyed: boolean;
  setHeader(name: string, value: string): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** What carries credentials: an HTTP request, or what stands for one where another protocol is spoken. */
export type Carrier = Pick<IncomingMessage, 'headers' | 'method'>;

const contexts = new WeakMap<Carrier, RequestContext>();
const current = new AsyncLocalStorage<RequestContext>();

/** Ids that a trusted proxy may hand in: short, and safe in any log. Of others they are not taken: the audit log has them. */
const saneId = /^[A-Za-z0-9._:/+=-]{8,128}$/;

/** Middleware: gives the request its id (a trusted proxy's `X-Request-Id` when it is sane, else random) and says it in the answer. */
export function startRequest(request: Request, response: Response, next: () => void): void {
  const context = begin(request, isFromProxy(request) ? request.get('x-request-id') : undefined, response);
  response.setHeader('X-Request-Id', context.id);
  runForStranger(placeOf(request), () => current.run(context, next));
}

/** Whether the other end of the connection is a proxy that PLOTLINE_TRUSTED_PROXIES names. */
function isFromProxy(request: Request): boolean {
  const trusts = request.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return request.socket.remoteAddress !== undefined && trusts(request.socket.remoteAddress, 0);
}

/** Gives what stands for a request its context, as {@link startRequest} does. `id`: what a trusted proxy calls it; taken when it is sane. */
export function begin(carrier: Carrier, id: string | undefined, response: Response): RequestContext {
  const context: RequestContext = {
    id: id !== undefined && saneId.test(id) ? id : randomBytes(12).toString('base64url'),
    caller: undefined,
    visits: null,
    sessionSecret: null,
    action: undefined,
    admitted: false,
    requestsLeft: null,
    page: false,
    oauth: false,
    response,
    ended: undefined,
  };
  contexts.set(carrier, context);
  return context;
}

/** Runs work as part of a request: what it logs has the request's id. */
export function inRequest<T>(context: RequestContext, work: () => T): T {
  return current.run(context, work);
}

/** The context of a request that went through {@link startRequest}. */
export function contextOf(request: Carrier): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error('startRequest has not seen this request');
  return context;
}

/**
 * Aborted when nobody waits any more for the answer to the request that is being served right now: it has been sent, or
 * the connection is gone. Undefined where no request is served.
 */
export function currentRequestEnded(): AbortSignal | undefined {
  const context = current.getStore();
  if (context) context.ended ??= endOf(context.response);
  return context?.ended;
}

function endOf(response: Response): AbortSignal {
  if (response.destroyed) return AbortSignal.abort();
  const ending = new AbortController();
  response.once('close', () => ending.abort());
  return ending.signal;
}

/** For log lines: the id of the request that is being served right now. */
export function currentRequestId(): string | undefined {
  return current.getStore()?.id;
}
