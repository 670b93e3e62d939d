import type { Metadata } from '@grpc/grpc-js';
import { begin, type Carrier, type RequestContext } from '#http';
import type { AnyCall } from './any-call.ts';

/** What is known about a call while it is answered. */
export interface CallContext {
  /** Stands for the HTTP request where credentials are looked for. */
  readonly carrier: Carrier;
  readonly request: RequestContext;
  readonly ended: AbortSignal;
}

const contexts = new WeakMap<AnyCall, CallContext>();

/** Of the headers that HTTP requests carry credentials in. Cookies are for browsers. */
const credentialHeaders = ['authorization', 'plotline-share'] as const;

/** Gives a call its context, once. `fromProxy`: a trusted proxy hands it on, and may name it. */
export function beginCall(call: AnyCall, fromProxy: boolean): CallContext {
  const ending = new AbortController();
  (call as NodeJS.EventEmitter).once('cancelled', () => ending.abort());
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

/** What stands for an HTTP request with the same credentials. */
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

/** What stands for the HTTP request of a call where credentials are looked for. */
export function carrierOf(call: AnyCall): Carrier {
  return callContextOf(call).carrier;
}

/** The text of a header; undefined where it is absent. One that was sent twice says nothing that everybody would agree on. */
export function single(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name);
  if (values.length > 1) return '';
  return values[0]?.toString();
}
