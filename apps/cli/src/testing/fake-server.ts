import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import zlib from 'node:zlib';
import { openBlock } from '#columns';
import { shown } from '../http/json.ts';
import { crc32c } from '../local/crc32c.ts';

interface StoredFile {
  readonly id: string;
  readonly experimentId: string;
  readonly run: string;
  readonly name: string;
  readonly version: number;
  bytes: Buffer;
  /** Ranges beyond the prefix, by offset. */
  readonly kept: Map<number, Buffer>;
  /** Accepted ranges: offset → length. */
  readonly segments: Map<number, number>;
  completedBytes: number | null;
  /** Durable bytes in a sink, which does not store them. */
  sunk: number;
}

interface StoredExperiment {
  readonly id: string;
  name: string;
  description: string;
  epoch: number;
}

/**
 * The fault of one request: the `response` is lost after the work is done, the `request` is cut
 * before the work, or this status is returned; null for no fault.
 */
export type Fault = 'lose-response' | 'cut-request' | number | null;

/** Settings of {@link FakeServer}. */
export interface FakeServerOptions {
  /** Chooses the fault of each request. */
  readonly fault?: (request: { method: string; path: string }) => Fault;
  /** Whether to count bytes without storing them, to measure the client alone. */
  readonly sink?: boolean;
  readonly windowBytes?: number;
  readonly token?: string;
  readonly problems?: readonly object[];
  readonly series?: readonly object[];
  /** The response of `/usage`. If absent, the server has no quotas. */
  readonly usage?: object;
  /** The response of `/limits`. */
  readonly limits?: object;
  /** Whether uploads are also served below `/uploads`. */
  readonly routesUploads?: boolean;
  /** Appends in this content coding are rejected, although `limits` may list it. */
  readonly unknownCoding?: string;
  /** Appends are rejected with this problem. */
  readonly rejectAppends?: { readonly status: number; readonly code: string; readonly detail: string };
}

/**
 * An in-memory server that follows the upload half of api.md strictly: it rejects any wrong offset,
 * digest or overlap.
 */
export class FakeServer {
  /** Content codings of the accepted appends. */
  readonly codings = new Set<string>();
  readonly experiments = new Map<string, StoredExperiment>();
  /** The entries in the problem list. */
  damage: readonly { file_id: string; offset: number; reason: string }[] = [];
  readonly files = new Map<string, StoredFile>();
  /** `METHOD path` of every request that arrived. */
  readonly log: string[] = [];
  /** Number of appends that were rejected because of their position. */
  conflicts = 0;
  receivedBytes = 0;
  readonly #options: FakeServerOptions;
  readonly #server: http.Server;
  readonly #replays = new Map<string, { request: string; status: number; body: unknown }>();

  constructor(options: FakeServerOptions = {}) {
    this.#options = options;
    this.#server = http.createServer((request, response) => void this.#serve(request, response));
    this.#server.keepAliveTimeout = 60_000;
  }

  /** Starts on a free port of 127.0.0.1 and returns the origin. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** `run/name` or `run/name@version` (from version 2 on) → SHA-256 of the durable bytes. */
  contents(): Record<string, string> {
    const entries = [...this.files.values()].map(
      (file) =>
        [
          `${file.run}/${file.name}${file.version > 1 ? `@${file.version}` : ''}`,
          createHash('sha256').update(file.bytes).digest('hex'),
        ] as const,
    );
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const method = request.method ?? '';
    const url = new URL(request.url ?? '/', 'http://fake');
    const asked = url.pathname.replace(/^\/api\/v1/, '');
    this.log.push(`${method} ${asked}`);
    const path = this.#options.routesUploads ? asked.replace(/^\/uploads\//, '/') : asked;
    const fault = this.#options.fault?.({ method, path }) ?? null;
    if (fault === 'cut-request') {
      request.socket.destroy();
      return;
    }
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      return; // the client disconnected
    }
    const body = Buffer.concat(chunks);
    const reply = (status: number, json?: unknown, headers: http.OutgoingHttpHeaders = {}): void => {
      if (fault === 'lose-response') {
        request.socket.destroy();
        return;
      }
      const content = json === undefined ? undefined : JSON.stringify(json);
      response.writeHead(status, {
        ...headers,
        ...(content !== undefined && { 'content-type': status >= 400 ? 'application/problem+json' : 'application/json' }),
      });
      response.end(method === 'HEAD' ? undefined : content);
    };
    const reject = (status: number, code: string, detail = code, headers: http.OutgoingHttpHeaders = {}): void =>
      reply(status, { type: 'about:blank', title: code, status, code, detail, request_id: 'r-1' }, headers);
    if (typeof fault === 'number')
      return reject(fault, fault === 429 ? 'rate-limited' : 'store-unavailable', 'come back later', { 'retry-after': '0' });
    if (method === 'POST' && path === '/revoke') return reply(200, {});
    if (this.#options.token && request.headers.authorization !== `Bearer ${this.#options.token}`)
      return reject(401, 'unauthenticated', 'Not signed in.');

    if (method === 'GET' && path === '/server') return reply(200, { version: '0.0.0', verdict: 'OK', message: '' });
    if (method === 'GET' && path === '/limits') return reply(200, this.#options.limits ?? {});
    if (method === 'GET' && path === '/usage' && this.#options.usage) return reply(200, this.#options.usage);
    if (method === 'GET' && path === '/whoami')
      return reply(200, { person: { id: 'p', name: 'P' }, workspace: { id: 'w', name: 'W' }, role: 'owner', may_write: true });
    const json = (): Record<string, unknown> => JSON.parse(body.toString() || '{}') as Record<string, unknown>;
    const key = request.headers['idempotency-key'];
    const once = (make: () => { status: number; body: unknown }): void => {
      const seen = key === undefined ? undefined : this.#replays.get(String(key));
      if (seen && seen.request !== `${path}${body.toString()}`) return reject(422, 'idempotency-key-reused');
      const made = seen ?? make();
      if (key !== undefined && !seen) this.#replays.set(String(key), { request: `${path}${body.toString()}`, ...made });
      reply(made.status, made.body, seen && { 'idempotency-replayed': 'true' });
    };

    if (method === 'POST' && path === '/experiments') {
      return once(() => {
        const { name, description } = json();
        const experiment: StoredExperiment = { id: randomId(), name: shown(name), description: shown(description), epoch: 0 };
        this.experiments.set(experiment.id, experiment);
        return { status: 201, body: this.#show(experiment) };
      });
    }
    const [, kind, id = '', sub] = path.split('/');
    if (kind === 'uploads') return reject(404, 'not-found', 'There is no such address.');
    if (kind === 'experiments') {
      const experiment = this.experiments.get(id);
      if (!experiment) return reject(404, 'experiment-not-found', 'There is no such experiment.');
      const own = [...this.files.values()].filter((file) => file.experimentId === id);
      if (method === 'POST' && sub === 'files') return once(() => this.#announce(experiment, json()));
      if (sub === 'files')
        return reply(200, {
          files: own.map((file) => ({
            ...this.#about(file),
            run: file.run,
            name: file.name,
            bytes: file.bytes.length,
            complete: file.completedBytes !== null,
          })),
        });
      if (sub === 'problems') return reply(200, { problems: this.damage });
      if (sub === 'frontier')
        return reply(200, {
          epoch: experiment.epoch,
          acknowledged_epoch: experiment.epoch,
          acknowledged_bytes: 0,
          visible_bytes: 0,
          incomplete_tail_bytes: 0,
          rejected_bytes: 0,
          visible: true,
        });
      // File contents are not parsed: any bytes count as a run.
      if (sub === 'runs')
        return reply(200, {
          runs: [...new Set(own.filter((file) => this.#options.sink || file.bytes.length > 0).map((file) => file.run))].map((run) => ({
            run,
          })),
        });
      if (sub === 'receipt') return reply(200, this.#receipt(own));
      if (method === 'PATCH') Object.assign(experiment, json());
      if (method === 'DELETE') this.experiments.delete(id);
      return reply(200, this.#show(experiment));
    }
    const { rejectAppends } = this.#options;
    if (method === 'PATCH' && rejectAppends) return reject(rejectAppends.status, rejectAppends.code, rejectAppends.detail);
    const file = this.files.get(id);
    if (kind !== 'files' || !file) return reject(404, 'file-not-found', 'There is no such file.');
    const experiment = this.experiments.get(file.experimentId);
    if (!experiment) return reject(404, 'experiment-not-found', 'There is no such experiment.');
    const position = {
      'upload-offset': String(file.bytes.length),
      'upload-ranges': keptRanges(file),
      'upload-window': String(this.#options.windowBytes ?? 256 * 1024 * 1024),
    };
    if (method === 'HEAD') return reply(200, undefined, position);
    if (method === 'GET' && sub === 'content') {
      response.end(file.bytes);
      return;
    }
    if (method === 'PATCH') {
      const outcome = await this.#append(file, experiment, request.headers, body);
      if (outcome !== null) {
        if (outcome.code === 'range-conflict') this.conflicts++;
        return reject(outcome.status, outcome.code, outcome.code, position);
      }
      return reply(204, undefined, {
        'upload-offset': String(this.#options.sink ? file.sunk : file.bytes.length),
        'upload-epoch': String(experiment.epoch),
      });
    }
    if (method === 'POST' && sub === 'complete') {
      const wanted = json();
      if (wanted['bytes'] !== file.bytes.length && !this.#options.sink) return reject(409, 'incomplete-file');
      if (wanted['crc32c'] !== hex(crc32c(file.bytes)) && !this.#options.sink) return reject(409, 'checksum-mismatch');
      file.completedBytes = file.bytes.length;
      return reply(200, {}, { 'upload-epoch': String(experiment.epoch) });
    }
    reject(405, 'method-not-allowed');
  }

  #announce(experiment: StoredExperiment, about: Record<string, unknown>): { status: number; body: unknown } {
    const { run, name } = about;
    const versions = [...this.files.values()].filter(
      (file) => file.experimentId === experiment.id && file.run === run && file.name === name,
    );
    const latest = versions.at(-1);
    if (latest && about['new_version'] !== true) return { status: 200, body: this.#about(latest) };
    const file: StoredFile = {
      id: String(this.files.size + 1),
      experimentId: experiment.id,
      run: String(run),
      name: String(name),
      version: versions.length + 1,
      bytes: Buffer.alloc(0),
      kept: new Map(),
      segments: new Map(),
      completedBytes: null,
      sunk: 0,
    };
    this.files.set(file.id, file);
    return { status: 201, body: this.#about(file) };
  }

  async #append(
    file: StoredFile,
    experiment: StoredExperiment,
    headers: http.IncomingHttpHeaders,
    body: Buffer,
  ): Promise<{ status: number; code: string } | null> {
    const digest = /^crc32c=:(.*):$/.exec(String(headers['content-digest']));
    if (!digest) return { status: 400, code: 'digest-missing' };
    if (Buffer.from(digest[1] ?? '', 'base64').readUInt32BE(0) !== crc32c(body)) return { status: 400, code: 'digest-mismatch' };
    const coding = headers['content-encoding'];
    if (coding !== undefined && coding === this.#options.unknownCoding) return { status: 415, code: 'unsupported-encoding' };
    const bytes = coding === undefined ? body : await decode(body, coding);
    this.codings.add(coding ?? 'none');
    const offset = Number(headers['upload-offset']);
    this.receivedBytes += bytes.length;
    experiment.epoch++;
    if (this.#options.sink) {
      file.segments.set(offset, bytes.length);
      for (let length = file.segments.get(file.sunk); length !== undefined; length = file.segments.get(file.sunk)) file.sunk += length;
      return null;
    }
    const end = offset + bytes.length;
    if (file.segments.get(offset) === bytes.length) {
      const have = file.kept.get(offset) ?? file.bytes.subarray(offset, end);
      return have.equals(bytes) ? null : { status: 409, code: 'range-conflict' };
    }
    for (const [start, length] of file.segments) if (start < end && offset < start + length) return { status: 409, code: 'range-conflict' };
    if (offset < file.bytes.length) return { status: 409, code: 'range-conflict' };
    if (offset > file.bytes.length + (this.#options.windowBytes ?? Infinity)) return { status: 409, code: 'window-exceeded' };
    file.segments.set(offset, bytes.length);
    file.kept.set(offset, bytes);
    file.completedBytes = null;
    for (let next = file.kept.get(file.bytes.length); next; next = file.kept.get(file.bytes.length)) {
      file.kept.delete(file.bytes.length);
      file.bytes = Buffer.concat([file.bytes, next]);
    }
    return null;
  }

  #receipt(files: readonly StoredFile[]): object {
    const listed = files.map((file) => ({
      file_id: file.id,
      run: file.run,
      name: file.name,
      version: file.version,
      bytes: file.bytes.length,
      crc32c: hex(crc32c(file.bytes)),
      records: 0,
    }));
    const lines = listed
      .map((file) => Buffer.from(`${file.run}\0${file.name}\0${file.version}\0${file.bytes}\0${file.crc32c}\n`))
      .sort(Buffer.compare);
    const digest = createHash('sha256').update(Buffer.concat(lines)).digest('hex');
    return { digest, files: listed, series: this.#options.series ?? [], problems: this.#options.problems ?? [], totals: { blobs: 0 } };
  }

  #about(file: StoredFile): object {
    return { file_id: file.id, version: file.version, offset: file.bytes.length, crc32c: hex(crc32c(file.bytes)) };
  }

  #show(experiment: StoredExperiment): object {
    return { ...experiment, url: `http://fake/e/${experiment.id}` };
  }
}

function keptRanges(file: StoredFile): string {
  return [...file.kept].map(([start, bytes]) => `${start}-${start + bytes.length - 1}`).join(', ');
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

function randomId(): string {
  return randomBytes(16).toString('hex').slice(0, 22);
}

async function decode(body: Buffer, coding: string): Promise<Buffer> {
  if (coding === 'zstd') return zlib.zstdDecompressSync(body);
  const decoder = await openBlock(body, Infinity);
  while (!decoder.step(1000));
  return decoder.bytes;
}
