import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32c } from '@node-rs/crc32';

/** The abilities that a store lacks. */
export interface S3Lacks {
  /** Ignores `If-None-Match`, or rejects it (501). */
  readonly conditionalPuts?: 'ignored' | 'refused';
  /** Ignores checksums, or rejects requests that have checksums. */
  readonly checksums?: 'ignored' | 'refused';
  /** Rejects signatures that do not cover the body. */
  readonly unsignedBodies?: true;
  readonly ranges?: true;
  readonly listing?: true;
  readonly metadata?: true;
  readonly bucket?: true;
  /** No space for new objects. */
  readonly room?: true;
  /** Every stored body loses its last byte. */
  readonly bytes?: true;
}

interface FakeObject {
  readonly bytes: Buffer;
  readonly crc32c: string | undefined;
}

/**
 * A partial S3 server, to test the adapter with stores that deviate from S3. It has one bucket, no
 * signatures and no multipart uploads.
 */
export class FakeS3 {
  lacks: S3Lacks = {};
  /** How many more bodies to corrupt in transit. */
  damages = 0;
  readonly objects = new Map<string, FakeObject>();
  readonly asked: string[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#respond(request, response);
    });
  }

  static async start(): Promise<FakeS3> {
    const fake = new FakeS3();
    fake.#server.listen(0, '127.0.0.1');
    await once(fake.#server, 'listening');
    return fake;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    const key = pathname.split('/').slice(2).join('/');
    this.asked.push(`${request.method} ${searchParams.has('list-type') ? 'list' : key}`);
    const status = this.#handle(request, response, { key, query: searchParams, body: Buffer.concat(pieces) });
    if (status !== null) reject(response, request.method, status);
  }

  /** Returns null if the request has been answered. */
  #handle(
    request: IncomingMessage,
    response: ServerResponse,
    asked: { key: string; query: URLSearchParams; body: Buffer },
  ): Rejection | null {
    const { key, query } = asked;
    if (this.lacks.bucket) return [404, 'NoSuchBucket'];
    if (query.has('uploads')) return [501, 'NotImplemented'];
    if (query.has('list-type')) {
      const found = [...this.objects].filter(([name]) => !this.lacks.listing && name.startsWith(query.get('prefix') ?? ''));
      const contents = found.map(([name, { bytes }]) => `<Contents><Key>${name}</Key><Size>${bytes.length}</Size></Contents>`).join('');
      response.end(`<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`);
      return null;
    }
    if (key === '') {
      response.end();
      return null;
    }
    if (request.method === 'PUT') return this.#put(request, response, asked);
    const object = this.objects.get(key);
    if (request.method === 'DELETE') {
      this.objects.delete(key);
      response.writeHead(204).end();
      return null;
    }
    if (!object) return [404, 'NoSuchKey'];
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const part = range && !this.lacks.ranges ? object.bytes.subarray(Number(range[1]), Number(range[2]) + 1) : object.bytes;
    const metadata = this.lacks.metadata || object.crc32c === undefined ? {} : { 'x-amz-meta-crc32c': object.crc32c };
    response.writeHead(part === object.bytes ? 200 : 206, { ...metadata, 'content-length': part.length });
    response.end(request.method === 'HEAD' ? undefined : part);
    return null;
  }

  #put({ headers }: IncomingMessage, response: ServerResponse, { key, body }: { key: string; body: Buffer }): Rejection | null {
    const { conditionalPuts, checksums, bytes: cuts } = this.lacks;
    const checksum = headers['x-amz-checksum-crc32c'];
    if (this.lacks.room) return [507, 'InsufficientStorage'];
    if (this.damages > 0 && this.damages--) return [400, 'BadDigest'];
    if (this.lacks.unsignedBodies && headers['x-amz-content-sha256'] === 'UNSIGNED-PAYLOAD') return [403, 'AccessDenied'];
    if (headers['if-none-match'] !== undefined && conditionalPuts === 'refused') return [501, 'NotImplemented'];
    if (headers['if-none-match'] !== undefined && conditionalPuts === undefined && this.objects.has(key))
      return [412, 'PreconditionFailed'];
    if (checksum !== undefined && checksums === 'refused') return [400, 'InvalidArgument'];
    if (checksums === undefined && ((checksum ?? crcOf(body)) !== crcOf(body) || (headers['content-md5'] ?? md5Of(body)) !== md5Of(body)))
      return [400, 'BadDigest'];
    const crc = headers['x-amz-meta-crc32c'];
    this.objects.set(key, { bytes: cuts ? body.subarray(0, -1) : body, crc32c: typeof crc === 'string' ? crc : undefined });
    response.end();
    return null;
  }
}

type Rejection = readonly [status: number, code: string];

function reject(response: ServerResponse, method: string | undefined, [status, code]: Rejection): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(method === 'HEAD' ? undefined : `<?xml version="1.0"?><Error><Code>${code}</Code><Message>by the test</Message></Error>`);
}

function crcOf(body: Buffer): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32c(body));
  return bytes.toString('base64');
}

function md5Of(body: Buffer): string {
  return createHash('md5').update(body).digest('base64');
}
