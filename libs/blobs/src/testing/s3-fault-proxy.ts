import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A fault to inject into one request. Exactly one kind is set. */
export interface S3Fault {
  /** Responds with this status and error code; the store never gets the request. */
  readonly response?: number;
  readonly code?: string;
  /**
   * The connection breaks before the store gets the request, or after the store has processed it
   * but before it responds.
   */
  readonly reset?: 'before' | 'after';
  /** One bit of the body is changed in the request or in the response. */
  readonly flip?: 'request' | 'response';
  /** The connection breaks after this many bytes of the response body. */
  readonly truncate?: number;
  /** No response until the proxy is closed. */
  readonly hang?: true;
}

const nothing: S3Fault = {};

/** The request properties that determine a request's fault. */
export interface S3Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /**
   * `PUT`, `GET` …, or the kind of a multipart request: `begin`, `part`, `join` or `drop`. `list`
   * stands for a listing.
   */
  readonly what: string;
}

/**
 * A proxy between a client and an S3 server. `fault` is called for each request; null forwards it.
 * Signatures remain valid, because the host name is forwarded.
 */
export class S3FaultProxy {
  readonly #target: URL;
  readonly #server: Server;
  fault: (asked: S3Request) => S3Fault | null = () => null;
  /** Requests, in order. */
  readonly asked: S3Request[] = [];

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((incoming, outgoing) => {
      void this.#pass(incoming, outgoing);
    });
  }

  static async start(target: string): Promise<S3FaultProxy> {
    const proxy = new S3FaultProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The number of requests of one kind. */
  count(what: string): number {
    return this.asked.filter((one) => one.what === what).length;
  }

  /** Injects `fault` into the first `times` requests of this kind, and nothing into later ones. */
  failFirst(times: number, what: string, fault: S3Fault): void {
    let left = times;
    this.fault = (asked) => (asked.what === what && left-- > 0 ? fault : null);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const asked = readRequest(incoming);
    this.asked.push(asked);
    const fault = this.fault(asked) ?? nothing;
    if (fault.hang) return;
    if (fault.reset === 'before') {
      incoming.socket.resetAndDestroy();
      return;
    }
    const body = await bodyOf(incoming);
    if (!body) return; // the client disconnected
    if (fault.response !== undefined) {
      outgoing.writeHead(fault.response, { 'Content-Type': 'application/xml' });
      outgoing.end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${fault.code}</Code><Message>by the test</Message></Error>`);
      return;
    }
    if (fault.flip === 'request' && body.length > 0) flipBit(body);
    try {
      const response = await this.#send(incoming, body);
      if (fault.reset) incoming.socket.resetAndDestroy();
      else if (fault.truncate !== undefined) {
        outgoing.writeHead(response.status, response.headers);
        outgoing.write(response.body.subarray(0, fault.truncate), () => incoming.socket.resetAndDestroy());
      } else {
        if (fault.flip === 'response' && response.body.length > 0) flipBit(response.body);
        outgoing.writeHead(response.status, response.headers);
        outgoing.end(response.body);
      }
    } catch {
      incoming.socket.resetAndDestroy(); // the server is down: the client must see that
    }
  }

  async #send(incoming: IncomingMessage, body: Buffer): Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }> {
    const { hostname, port } = this.#target;
    const sent = request({ hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const pieces: Buffer[] = [];
    for await (const piece of response as AsyncIterable<Buffer>) pieces.push(piece);
    return { status: response.statusCode ?? 500, headers: response.headers, body: Buffer.concat(pieces) };
  }
}

function readRequest(incoming: IncomingMessage): S3Request {
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://x');
  const method = incoming.method ?? '';
  return { method, path: pathname, query: searchParams, headers: incoming.headers, what: purpose(method, searchParams) };
}

function purpose(method: string, query: URLSearchParams): string {
  if (query.has('uploads')) return method === 'POST' ? 'begin' : 'list uploads';
  if (query.has('uploadId')) return { PUT: 'part', POST: 'join', DELETE: 'drop' }[method] ?? method;
  return query.has('list-type') ? 'list' : method;
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece);
  } catch {
    return null;
  }
  return Buffer.concat(pieces);
}

function flipBit(bytes: Buffer): void {
  const at = bytes.length >> 1;
  bytes[at] = bytes[at]! ^ 0x10;
}
