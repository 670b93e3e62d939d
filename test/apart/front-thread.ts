import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { BackendKind, FromFront, ToFront } from './front.ts';

/** Returns the ports of all processes of a kind; called for every request. */
type Backends = (kind: BackendKind) => Promise<readonly number[]>;

/**
 * Requests that go to upload processes; all others go to read processes (ARCHITECTURE.md, "Modes").
 */
const uploadAddresses: readonly { readonly methods: readonly string[] | null; readonly path: RegExp }[] = [
  { methods: null, path: /^\/api\/v1\/uploads\// },
  { methods: null, path: /^\/api\/v1\/files\/(?!.*\/content$)/ },
  { methods: ['POST'], path: /^\/api\/v1\/experiments\/[^/]+\/files$/ },
  { methods: null, path: /^\/api\/uploader$/ },
];

const lingerMs = 2_000;
/** Bytes of a body that the proxy buffers before it stops reading from the sender. */
const bufferedBytes = 1024 * 1024;

/** Headers that apply to one connection (RFC 9110, 7.6.1). */
const hopByHopHeaders = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/**
 * The single address that clients know: a reverse proxy, as any service would have. It balances
 * round robin, skips processes that refuse connections, and aborts a started response that it
 * cannot complete.
 */
class ReverseProxy {
  readonly #backends: Backends;
  readonly #agent = new Agent({ keepAlive: true });
  #turn = 0;

  constructor(backends: Backends) {
    this.#backends = backends;
  }

  /** Forwards a request to one of the processes. */
  async pass(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = asked.url!.split('?')[0]!;
    const { method } = asked;
    const isUpload = uploadAddresses.some((known) => known.path.test(path) && (known.methods === null || known.methods.includes(method!)));
    const ports = await this.#backends(isUpload ? 'upload' : 'read');
    if (response.destroyed) return; // The process has exited meanwhile.
    const first = this.#turn++;
    this.#try(
      asked,
      response,
      ports.map((_, i) => ports[(first + i) % ports.length]!),
    );
  }

  #try(asked: IncomingMessage, result: ServerResponse, [port, ...others]: readonly number[]): void {
    if (port === undefined) return reject(result);
    let started = false;
    const passed = request({
      host: '127.0.0.1',
      port,
      agent: this.#agent,
      method: asked.method,
      path: asked.url,
      headers: headersOf(asked),
      setHost: false,
    });
    passed.once('socket', (socket) => {
      const begin = (): void => {
        started = true;
        asked.pipe(passed);
      };
      if (socket.connecting) socket.once('connect', begin);
      else begin();
    });
    passed.on('continue', () => result.writeContinue());
    passed.on('response', (response) => {
      result.writeHead(response.statusCode!, response.statusMessage, headersOf(response));
      response.pipe(result);
      response.on('error', () => result.destroy());
      if (!asked.readableEnded) result.once('finish', () => discard(asked));
    });
    passed.on('error', () => {
      if (!started) this.#try(asked, result, others);
      else if (!result.headersSent) result.destroy();
      // Otherwise, the process responded before it read everything, and then closed its connection.
    });
    result.on('close', () => {
      // The client disconnected, which aborts its request.
      if (!result.writableFinished) passed.destroy();
    });
  }
}

/**
 * A client that got an early response may still be sending, and would lose the response if the
 * connection closed immediately.
 */
function discard(asked: IncomingMessage): void {
  asked.unpipe();
  asked.resume();
  const timer = setTimeout(() => asked.socket.destroy(), lingerMs);
  asked.once('close', () => clearTimeout(timer));
}

/** Headers in their original order, as a flat list. */
function headersOf({ rawHeaders, method, headers: { 'content-length': length, 'transfer-encoding': coding } }: IncomingMessage): string[] {
  // Without either header, a request has no body; Node would send a chunked body.
  const headers: string[] =
    method !== null && method !== undefined && length === undefined && coding === undefined ? ['Content-Length', '0'] : [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (!hopByHopHeaders.has(rawHeaders[i]!.toLowerCase())) headers.push(rawHeaders[i]!, rawHeaders[i + 1]!);
  }
  return headers;
}

/** Sends the response of a reverse proxy without a backend. */
function reject(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  const problem = {
    type: 'about:blank',
    title: 'Service Unavailable',
    status: 503,
    code: 'store-unavailable',
    detail: 'No process is available.',
  };
  response.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '1' });
  response.end(JSON.stringify(problem));
}

const port = parentPort!;
const waiting = new Map<number, (ports: readonly number[]) => void>();
let questions = 0;
const proxy = new ReverseProxy((kind) => {
  const question = ++questions;
  port.postMessage({ question, kind } satisfies FromFront);
  return new Promise((resolve) => waiting.set(question, resolve));
});
port.on('message', ({ question, ports }: ToFront) => {
  waiting.get(question)?.(ports);
  waiting.delete(question);
});
const server = createServer({ highWaterMark: bufferedBytes }, (asked, response) => void proxy.pass(asked, response));
server.requestTimeout = 0; // The service has its own.
server.listen(workerData as number, '127.0.0.1', () =>
  port.postMessage({ listensOn: (server.address() as AddressInfo).port } satisfies FromFront),
);
