import { createServer, type IncomingMessage, request as httpRequest, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#testing';

/**
 * Faults of an object store for one request:
 *
 * | fault            | the store got it | the client sees |
 * |------------------|------------------|-----------------|
 * | `internal-error` | no               | 500 InternalError |
 * | `slow-down`      | no               | 503 SlowDown |
 * | `conflict`       | no               | 409 ConditionalRequestConflict (PUT and POST only) |
 * | `reset`          | no               | a reset |
 * | `lost-response`  | yes              | a reset |
 * | `truncated`      | half the body    | a body that ends early (GET), a reset (PUT) |
 * | `bit-flip`       | one bit is wrong | a body with one bit flipped (GET), the store's own response (PUT) |
 * | `slow`           | later            | the response, later |
 */
export const s3Faults = ['internal-error', 'slow-down', 'conflict', 'reset', 'lost-response', 'truncated', 'bit-flip', 'slow'] as const;

export type S3Fault = (typeof s3Faults)[number];

/** Selects the requests that get a fault. */
export interface S3FaultPlan {
  /** Probability per request, between 0 and 1. */
  readonly chance: number;
  /** The fault is drawn from the listed faults that apply to the request. */
  readonly kinds: readonly S3Fault[];
  /** The delay of `slow`; 10 s by default. */
  readonly slowMs?: number;
  /** Affects only requests for which this returns true. */
  readonly only?: (request: S3Request) => boolean;
}

/** A request, as the proxy sees it. */
export interface S3Request {
  readonly method: string;
  /** Includes bucket, key and query. */
  readonly path: string;
}

const documents: Partial<Record<S3Fault, { readonly status: number; readonly code: string }>> = {
  'internal-error': { status: 500, code: 'InternalError' },
  'slow-down': { status: 503, code: 'SlowDown' },
  conflict: { status: 409, code: 'ConditionalRequestConflict' },
};

/**
 * A proxy in front of an S3 server that simulates object store faults. The n-th selected request
 * draws its fault from the seed. Headers pass unchanged, so that signatures remain valid.
 */
export class S3FaultProxy {
  /** How often each fault had an effect. */
  readonly effects: Record<S3Fault, number> = Object.fromEntries(s3Faults.map((kind) => [kind, 0])) as Record<S3Fault, number>;
  /** Requests received, with or without a fault. */
  requests = 0;
  plan: S3FaultPlan = { chance: 0, kinds: [] };
  readonly #target: URL;
  readonly #server: Server;
  readonly #random: () => number;

  private constructor(endpoint: string, seed: number) {
    this.#target = new URL(endpoint);
    this.#random = seededRandom(seed);
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy()); // Either end disconnected.
    });
  }

  /** Starts a proxy in front of the server at `endpoint`; resolves when it listens. */
  static async before(endpoint: string, seed: number): Promise<S3FaultProxy> {
    const proxy = new S3FaultProxy(endpoint, seed);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get endpoint(): string {
    const address = this.#server.address();
    if (!address || typeof address === 'string') throw new Error('the proxy does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #draw(request: S3Request): S3Fault | null {
    const { chance, kinds, only } = this.plan;
    if (only && !only(request)) return null;
    const possible = kinds.filter((kind) => kind !== 'conflict' || request.method === 'PUT' || request.method === 'POST');
    if (possible.length === 0 || this.#random() >= chance) return null;
    return possible[Math.floor(this.#random() * possible.length)]!;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++;
    const fault = this.#draw({ method: request.method ?? '', path: request.url ?? '' });
    const { slowMs = 10_000 } = this.plan;
    const rejection = fault && documents[fault];
    if (rejection) return this.#reject(request, response, fault, rejection);
    if (fault === 'reset') {
      this.effects.reset++;
      request.socket.resetAndDestroy();
      return;
    }
    if (fault === 'slow') {
      this.effects.slow++;
      await sleep(slowMs);
    }
    const body = await bytesOf(request);
    if (fault === 'truncated' && body.length > 1) {
      this.effects.truncated++;
      await this.#sendHalf(request, body);
      request.socket.resetAndDestroy();
      return;
    }
    const inward = fault === 'bit-flip' && body.length > 0;
    if (inward) this.#flip(body);
    const result = await this.#forward(request, body);
    const content = await bytesOf(result);
    if (fault === 'lost-response') {
      this.effects['lost-response']++;
      request.socket.resetAndDestroy();
      return;
    }
    response.writeHead(result.statusCode ?? 502, result.rawHeaders);
    if (fault === 'truncated' && request.method === 'GET' && content.length > 1) {
      this.effects.truncated++;
      response.write(content.subarray(0, content.length >> 1), () => response.destroy());
      return;
    }
    if (fault === 'bit-flip' && !inward && request.method === 'GET' && content.length > 0) this.#flip(content);
    response.end(request.method === 'HEAD' ? undefined : content);
  }

  async #reject(request: IncomingMessage, response: ServerResponse, fault: S3Fault, { status, code }: { status: number; code: string }) {
    await bytesOf(request);
    this.effects[fault]++;
    const document = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>made by the fault proxy</Message></Error>`;
    response.writeHead(status, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(document) });
    response.end(request.method === 'HEAD' ? undefined : document);
  }

  #flip(bytes: Buffer): void {
    this.effects['bit-flip']++;
    bytes[Math.floor(this.#random() * bytes.length)]! ^= 1 << Math.floor(this.#random() * 8);
  }

  #open(request: IncomingMessage) {
    const { expect: _done, ...headers } = request.headers; // The body has been read already.
    const { hostname, port } = this.#target;
    return httpRequest({ host: hostname, port, method: request.method, path: request.url, headers, setHost: false, agent: false });
  }

  #forward(request: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      this.#open(request).once('response', resolve).once('error', reject).end(body);
    });
  }

  /** Sends half of the announced body to the store, then ends. */
  async #sendHalf(request: IncomingMessage, body: Buffer): Promise<void> {
    const half = this.#open(request);
    await new Promise<void>((resolve) => {
      half.once('error', () => resolve()).once('response', (response) => response.resume());
      half.write(body.subarray(0, body.length >> 1), () => {
        half.destroy();
        resolve();
      });
    });
  }
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
