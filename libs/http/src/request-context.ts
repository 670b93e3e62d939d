import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import { type Client, runForStranger, startInTurn } from '#admission';
import type { Caller } from '#auth';
import type { Action } from '#experiments';
import type { Problem } from '#model';
import { expectedShare } from './expected-share.ts';
import { placeOf } from './place.ts';

/** What a non-member may visit with a request: an experiment, or a report with its experiments. */
export type Visit = { readonly experimentId: string } | { readonly reportId: string };

/** The state of a request while it is served. */
export interface RequestContext {
  readonly id: string;
  /** Undefined until credentials are checked; null if none are valid. */
  caller: Caller | null | undefined;
  /** The secret of the cookie that was checked, valid or not; null if there was none. */
  sessionSecret: string | null;
  /** The handler's action; undefined if there is no handler, and for public handlers. */
  action: Action | undefined;
  /** What a non-member may visit with this request; null if there is nothing. */
  visits: Visit | null;
  /**
   * Whether a handler was found and admitted the request. Before that, even "not found" is returned
   * only to known callers.
   */
  admitted: boolean;
  /**
   * The workspace's remaining requests in this minute; null before the guard has counted this
   * request.
   */
  requestsLeft: number | null;
  /** Whether problems are returned as pages. */
  page: boolean;
  /** Whether problems are returned in OAuth form. */
  oauth: boolean;
  /** Why the request is rejected or failed; null until then. */
  problem: Problem | null;
  readonly response: Response;
  /** Created on demand: most requests never need it. */
  ended: AbortSignal | undefined;
}

/** The part of a response used here. */
export interface Response {
  readonly destroyed: boolean;
  setHeader(name: string, value: string): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** The response to an HTTP request. */
type HttpResponse = Response & Pick<ServerResponse, 'writableFinished' | 'off'>;

/** The source of credentials: an HTTP request, or its equivalent in another protocol. */
export type Carrier = Pick<IncomingMessage, 'headers' | 'method'>;

const contexts = new WeakMap<Carrier, RequestContext>();
const current = new AsyncLocalStorage<RequestContext>();

/**
 * Ids that a trusted proxy may set: short, and safe in any log. Not accepted from other senders,
 * because the audit log records them.
 */
const saneId = /^[A-Za-z0-9._:/+=-]{8,128}$/;

/**
 * Middleware: assigns the request its id, which is a trusted proxy's `X-Request-Id` if that is
 * well-formed, otherwise random. Returns the id in the response, and starts the request when its
 * share may proceed.
 */
export function startRequest(request: Request, response: HttpResponse, next: () => void): void {
  const context = begin(request, isFromProxy(request) ? request.get('x-request-id') : undefined, response);
  response.setHeader('X-Request-Id', context.id);
  const place = placeOf(request);
  const { cancel } = startInTurn(expectedShare(request, place), () =>
    runForStranger(place, () => current.run(context, next), clientOf(response)),
  );
  response.once('close', cancel);
}

/**
 * If the connection closes before the response has been passed to it, the client has disconnected.
 */
function clientOf(response: HttpResponse): Client {
  return {
    get isGone() {
      return response.destroyed && !response.writableFinished;
    },
    onGone: (listener) => {
      const onClose = (): void => (response.writableFinished ? undefined : listener());
      response.once('close', onClose);
      return () => response.off('close', onClose);
    },
  };
}

/** Whether the peer of the connection is listed in PLOTLINE_TRUSTED_PROXIES. */
export function isFromProxy(request: Request): boolean {
  const trusts = request.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
  return request.socket.remoteAddress !== undefined && trusts(request.socket.remoteAddress, 0);
}

/**
 * Creates the context of a request in any protocol, like {@link startRequest}. `id`: the id from a
 * trusted proxy; used if it is well-formed.
 */
export function begin(carrier: Carrier, id: string | undefined, response: Response): RequestContext {
  const context: RequestContext = {
    id: requestIdFrom(id),
    caller: undefined,
    visits: null,
    sessionSecret: null,
    action: undefined,
    admitted: false,
    requestsLeft: null,
    page: false,
    oauth: false,
    problem: null,
    response,
    ended: undefined,
  };
  contexts.set(carrier, context);
  return context;
}

/** The id from a trusted proxy if it is well-formed, otherwise a random one. */
export function requestIdFrom(offered: string | undefined): string {
  return offered !== undefined && saneId.test(offered) ? offered : randomBytes(12).toString('base64url');
}

/** The context of a request that went through {@link startRequest}. */
export function contextOf(request: Carrier): RequestContext {
  const context = contexts.get(request);
  if (!context) throw new Error('startRequest has not seen this request');
  return context;
}

/**
 * A signal that is aborted when nobody waits for the response to the current request anymore: it
 * has been sent, or the connection is closed. Undefined outside requests.
 */
export function currentRequestEnded(): AbortSignal | undefined {
  const context = current.getStore();
  if (context) context.ended ??= endOf(context.response);
  return context?.ended;
}

/** The reason that all signals share, because creating one for each request is expensive. */
const over = new DOMException('the response is no longer awaited', 'AbortError');

function endOf(response: Response): AbortSignal {
  if (response.destroyed) return AbortSignal.abort();
  const ending = new AbortController();
  response.once('close', () => ending.abort(over));
  return ending.signal;
}

/** For log lines: the id of the current request. */
export function currentRequestId(): string | undefined {
  return current.getStore()?.id;
}
