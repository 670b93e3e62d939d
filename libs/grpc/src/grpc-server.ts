import { Logger } from '@nestjs/common';
import { type CustomTransportStrategy, type MessageHandler, Server as NestServer } from '@nestjs/microservices';
import * as grpc from '@grpc/grpc-js';
import { firstValueFrom, isObservable } from 'rxjs';
import { type Client, runForStranger } from '#admission';
import { FailureLog, placeOf, type RejectionLog, requestIdFrom } from '#http';
import { Problem } from '#model';
import { mapStoreError, rejectionOfText } from '#store';
import { countCall, isTracing, startSpan } from '#telemetry';
import type { AnyCall } from './any-call.ts';
import { callContextOf, single } from './call-context.ts';
import { methods, type MethodShape } from './codec.ts';
import { checkingEarly, type EarlyCheck, type RejectedCall } from './early-check.ts';
import { grpcStatuses, serviceStatuses } from './grpc-status.ts';
import { maxMessageBytes } from './message-limits.ts';
import type { Peers } from './peers.ts';
import { boundResets } from './reset-bounds.ts';

/** Nest's wrapper of a controller method, which runs the guard first. */
type GrpcHandler = (message: unknown, metadata: grpc.Metadata, call: AnyCall) => Promise<unknown>;

/** How long running calls may continue when the process stops. */
const drainMs = 5_000;

/**
 * How many calls of one connection may be canceled at once, and per second. A connection that
 * cancels more is closed, because starting and canceling calls costs a client almost nothing
 * (CVE-2023-44487). A guess: tens of times what a dashboard, or a proxy for many dashboards,
 * cancels.
 */
const resetBounds = { streamResetBurst: 200, streamResetRate: 50 };

/** Where and how calls are accepted. */
export interface GrpcServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly credentials: grpc.ServerCredentials;
  readonly rejections: RejectionLog;
  /** Determines where calls come from. */
  readonly peers: Pick<Peers, 'addressOf' | 'isProxied' | 'isProxy'>;
  /** Runs before messages are read. */
  readonly check: EarlyCheck;
}

/**
 * Serves the methods of libs/protocols that controllers implement. Messages are read by our own
 * codecs, streams run at the client's speed, and errors become the status of their problem. There
 * is no reflection: the list of services cannot be queried.
 */
export class GrpcServer extends NestServer implements CustomTransportStrategy {
  readonly #options: GrpcServerOptions;
  readonly #failures = new FailureLog(new Logger('grpc'));
  #server: grpc.Server | null = null;
  #port = 0;

  constructor(options: GrpcServerOptions) {
    super();
    this.#options = options;
  }

  /** The port that the server listens on. */
  get port(): number {
    return this.#port;
  }

  override async listen(callback: (error?: unknown) => void): Promise<void> {
    const { host, port, credentials, check } = this.#options;
    const server = new grpc.Server({
      interceptors: [checkingEarly(check, (problem, call) => this.#reject(problem, call))],
      'grpc.max_receive_message_length': maxMessageBytes,
      'grpc.max_send_message_length': -1,
      'grpc.max_concurrent_streams': 256,
      'grpc.keepalive_time_ms': 60_000,
      'grpc.keepalive_timeout_ms': 20_000,
    });
    // grpc-js has no option for this, and Node's default of 1,000 blocks the event loop for 0.8 s.
    Object.assign(server['commonServerOptions'], resetBounds);
    for (const service of new Set(methods.map((method) => method.service))) {
      const served = methods.filter((method) => method.service === service && this.messageHandlers.has(method.path));
      if (served.length > 0)
        server.addService(definitionOf(served), Object.fromEntries(served.map((method) => [method.name, this.#implement(method)])));
    }
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    server.bindAsync(address, credentials, (error, bound) => {
      for (const http2 of server['http2Servers'].keys()) boundResets(http2, (peer) => this.#options.peers.isProxy(peer));
      this.#port = bound;
      this.#server = server;
      callback(error ?? undefined);
    });
  }

  /** Accepts no new calls, lets running calls finish for 5 s, then cuts the rest. */
  override async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (!server) return;
    const cut = setTimeout(() => server.forceShutdown(), drainMs);
    await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
    clearTimeout(cut);
  }

  override on(): never {
    throw new Error('listeners are not supported');
  }

  override unwrap(): never {
    throw new Error('nobody needs the server itself');
  }

  #implement(method: MethodShape): grpc.UntypedHandleCall {
    const handler = this.messageHandlers.get(method.path)!;
    if (method.requestStream) {
      return (call: grpc.ServerDuplexStream<unknown, unknown>) =>
        void this.#runFor(method, call, () => this.#stream(method, handler, call, call.iterator({ destroyOnReturn: false })));
    }
    if (method.responseStream)
      return (call: grpc.ServerWritableStream<unknown, unknown>) =>
        void this.#runFor(method, call, () => this.#stream(method, handler, call, call.request));
    return (call: grpc.ServerUnaryCall<unknown, unknown>, callback: grpc.sendUnaryData<unknown>) => {
      const since = performance.now();
      const done = (error: grpc.ServerErrorResponse | null, response?: unknown): void => {
        const status = call.cancelled ? grpc.status.CANCELLED : (error?.code ?? grpc.status.OK);
        countCall({ method: method.path, status }, (performance.now() - since) / 1_000);
        callback(error, response);
      };
      this.#runFor(method, call, () => this.#respond(handler, call.request, call)).then(
        (response) => done(null, response),
        (error: unknown) => done(this.#explain(method, error, call, since)),
      );
    };
  }

  /** Runs work for a call's caller, who is a stranger until the guard has identified them. */
  #runFor<T>(method: MethodShape, call: AnyCall, work: () => Promise<T>): Promise<T> {
    const traced = isTracing() ? () => this.#trace(method, call, work) : work;
    return runForStranger(placeOf({ ip: this.#options.peers.addressOf(call) }), traced, clientOf(call));
  }

  /** Only a trusted proxy may set the call's trace and whether it is sampled. */
  async #trace<T>({ path, service, name }: MethodShape, call: AnyCall, work: () => Promise<T>): Promise<T> {
    const parent = this.#options.peers.isProxied(call) ? single(call.metadata, 'traceparent') : undefined;
    const attributes = { 'rpc.system.name': 'grpc', 'rpc.service': service, 'rpc.method': name };
    const span = startSpan(path.slice(1), { kind: 'server', parent, attributes });
    if (!span) return work();
    let failed: string | null = null;
    const events: NodeJS.EventEmitter = call;
    // A stream sends its error to the client instead of throwing it.
    events.once('error', ({ code }: { code?: grpc.status }) => (failed = grpc.status[code ?? grpc.status.UNKNOWN]));
    try {
      return await span.run(work);
    } catch (error) {
      failed = this.#problemOf(error).code;
      throw error;
    } finally {
      const id = contextIfAny(call)?.id;
      span.end({ attributes: id === undefined ? {} : { 'plotline.request_id': id }, failed });
    }
  }

  async #respond(handler: MessageHandler, message: unknown, call: AnyCall): Promise<unknown> {
    const response: unknown = await (handler as GrpcHandler)(message, call.metadata, call);
    return isObservable(response) ? firstValueFrom(response) : response;
  }

  async #stream(
    method: MethodShape,
    handler: MessageHandler,
    call: grpc.ServerWritableStream<unknown, unknown> | grpc.ServerDuplexStream<unknown, unknown>,
    message: unknown,
  ): Promise<void> {
    call.on('error', () => undefined); // the client that cancels a call knows it
    const since = performance.now();
    let code = grpc.status.OK;
    try {
      const responses = (await this.#respond(handler, message, call)) as AsyncIterable<unknown>;
      const { ended } = callContextOf(call);
      for await (const response of responses) {
        if (ended.aborted) return;
        if (!call.write(response)) await drained(call, ended);
      }
      call.end();
    } catch (error) {
      const status = this.#explain(method, error, call, since);
      code = status.code ?? grpc.status.UNKNOWN;
      if (!call.cancelled) call.emit('error', status);
    } finally {
      countCall({ method: method.path, status: call.cancelled ? grpc.status.CANCELLED : code }, (performance.now() - since) / 1_000);
    }
  }

  /** Logs a call that ends before its handler, and returns its status. */
  #reject(problem: Problem, call: RejectedCall): grpc.StatusObject {
    const id = requestIdFrom(this.#options.peers.isProxied(call) ? single(call.metadata, 'x-request-id') : undefined);
    const status = statusOf(problem, call.path.split('/')[1]!);
    status.metadata.set('x-request-id', id);
    this.#tell({ requestId: id, route: call.path, code: status.code, since: call.since, problem });
    return status;
  }

  /** Classifies an error; logs it unless the client has canceled the call. */
  #explain({ path, service }: MethodShape, thrown: unknown, call: AnyCall, since: number): grpc.ServerErrorResponse {
    const problem = this.#problemOf(thrown);
    const { code, details, metadata } = statusOf(problem, service);
    const request = contextIfAny(call);
    const requestId = request?.id ?? requestIdFrom(undefined); // without a context, it failed before the guard
    metadata.set('x-request-id', requestId);
    if (problem.code === 'forbidden' && request?.caller && request.action)
      void this.#options.rejections.tell(request.caller, request.action, null);
    if (!call.cancelled) this.#tell({ requestId, route: path, code, since, problem });
    return Object.assign(new Error(problem.message), { code, details, metadata });
  }

  #problemOf(thrown: unknown): Problem {
    const mapped = rejectionOfText(thrown) ?? mapStoreError(thrown);
    if (mapped instanceof Problem) return mapped;
    return new Problem('internal', 'Something went wrong on our side. Try again. If it happens again, give the operator the request id.', {
      cause: thrown,
    });
  }

  #tell({ code, since, ...about }: { requestId: string; route: string; code: grpc.status; since: number; problem: Problem }): void {
    this.#failures.write({ ...about, status: grpc.status[code], durationMs: performance.now() - since });
  }
}

function clientOf(call: AnyCall): Client {
  const events: NodeJS.EventEmitter = call;
  return {
    get isGone() {
      return call.cancelled;
    },
    onGone: (listener) => {
      events.once('cancelled', listener);
      return () => events.off('cancelled', listener);
    },
  };
}

function statusOf(problem: Problem, service: string): grpc.StatusObject {
  const metadata = new grpc.Metadata();
  metadata.set('plotline-problem', problem.code);
  return { code: serviceStatuses[service]?.[problem.code] ?? grpcStatuses[problem.code], details: problem.message, metadata };
}

function contextIfAny(call: AnyCall) {
  try {
    return callContextOf(call).request;
  } catch {
    return null; // the call failed before any handler
  }
}

function definitionOf(served: readonly MethodShape[]): grpc.ServiceDefinition {
  return Object.fromEntries(
    served.map(({ path, name, requestStream, responseStream, request, response }) => [
      name,
      {
        path,
        originalName: name,
        requestStream,
        responseStream,
        requestSerialize: (message: unknown) => request.encode(message as never),
        requestDeserialize: (bytes: Buffer) => bytes, // decoded by `checkingEarly`, in a turn of its share
        responseSerialize: (message: unknown) => response.encode(message as never),
        responseDeserialize: (bytes: Buffer) => response.decode(bytes),
      },
    ]),
  );
}

function drained(call: NodeJS.EventEmitter, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      call.off('drain', done).off('close', done);
      ended.removeEventListener('abort', done);
      resolve();
    };
    call.on('drain', done).on('close', done);
    ended.addEventListener('abort', done);
  });
}
