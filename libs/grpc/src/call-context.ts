import type { Metadata } from '@grpc/grpc-js';
import { begin, type Carrier, type RequestContext } from '#http';
import type { AnyCall } from './any-call.ts';

/** The state of a call while it is served. */
export interface CallContext {
  /** Stands in for the HTTP request when credentials are looked up. */
  readonly carrier: Carrier;
  readonly request: RequestContext;
  readonly ended: AbortSignal;
}

/** The reason that all signals share, because creating one for each call is expensive. */
const over = new DOMException('the call was canceled', 'AbortError');

const contexts = new WeakMap<AnyCall, CallContext>();

/** The headers that carry credentials in HTTP requests. Cookies are for browsers. */
const credentialHeaders = ['authorization', 'plotline-share'] as const;

/**
 * Creates the context of a call, once. `fromProxy`: a trusted proxy forwards the call, and may set
 * its id.
 */
export function beginCall(call: AnyCall, fromProxy: boolean): CallContext {
  const ending = new AbortController();
  (call as NodeJS.EventEmitter).once('cancelled', () => ending.abort(over));
  const carrier = carrierFrom(call.metadata);
  const request = begin(carrier, fromProxy ? single(call.metadata, 'x-request-id') : undefined, {
    destroyed: false,
    setHeader: () => undefined,
    once: (_event, listener) => ending.signal.addEventListener('abort', listener, { once: true }),
  });
  const context = { carrier, request, ended: ending.signal };
  contexts.set(call, context);
  return context;
}

/** The equivalent of an HTTP request with the same credentials. */
export function carrierFrom(metadata: Metadata): Carrier {
  const carrier: Carrier = { method: 'POST', headers: {} };
  for (const name of credentialHeaders) {
    const value = single(metadata, name);
    if (value !== undefined) carrier.headers[name] = value;
  }
  return carrier;
}

/** The context of a call that went through {@link beginCall}. */
export function callContextOf(call: AnyCall): CallContext {
  const context = contexts.get(call);
  if (!context) throw new Error('beginCall has not seen this call');
  return context;
}

/** The value of a header; undefined if it is absent. A repeated header is ambiguous and ignored. */
export function single(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name);
  if (values.length > 1) return '';
  return values[0]?.toString();
}
