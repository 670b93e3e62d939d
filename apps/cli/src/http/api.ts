import { crc32cDigest, crc32cHex, type ExperimentId, type FileId, type RunName } from '#model';
import { ApiError } from './api-error.ts';
import { type HttpResponse, type HttpClient, NetworkError, type RequestOptions } from './http-client.ts';
import { asArray, asObject, crcField, fileIdField, intField, type Json, stringField, UnexpectedResponse } from './json.ts';
import type { Retry } from './retry.ts';
import type { Throttle } from './throttle.ts';

/** The server's state of a file: `crc32c` is over its durable prefix of `offset` bytes. */
export interface RemoteFile {
  readonly fileId: FileId;
  readonly version: number;
  readonly offset: number;
  readonly crc32c: number;
  /**
   * Whether this request created the file. If so, no other client can have sent bytes to the file
   * before.
   */
  readonly created: boolean;
}

/** A version of a file in the list of files. */
export interface ListedFile {
  readonly fileId: FileId;
  readonly run: RunName;
  readonly name: string;
  readonly version: number;
  readonly bytes: number;
  readonly crc32c: number;
  /**
   * CRC-32C of the downloadable bytes, which differ from the received bytes if points were deleted.
   * Null if the bytes are not kept.
   */
  readonly contentCrc32c: number | null;
  readonly rewritten: boolean;
  readonly complete: boolean;
  /**
   * Id of the run's file that begins with all bytes of this file; null if this file is not a copy.
   */
  readonly copyOf: FileId | null;
  /** Whether a newer version of the file was ingested. */
  readonly replaced: boolean;
}

/** Byte range [start, end). */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The state of a file (HEAD): `kept` are ranges beyond `offset` that need not be sent again.
 * `window` is how far beyond `offset` a range may start.
 */
export interface FilePosition {
  readonly offset: number;
  readonly kept: readonly ByteRange[];
  readonly window: number | null;
}

/**
 * The response to an append: everything acknowledged up to `epoch` includes it. `ms`: duration of
 * the successful attempt.
 */
export interface Acknowledged {
  readonly offset: number;
  readonly epoch: number;
  /** Whether the file is complete, as after {@link Api.complete}. */
  readonly complete: boolean;
  readonly ms: number;
}

/**
 * A range of a file as sent: `digest` is the CRC-32C of the body, `encoding` names its compression.
 */
export interface RangeToSend {
  readonly offset: number;
  readonly body: Uint8Array;
  readonly digest: number;
  readonly encoding: string | null;
  /** Whether the range is the whole file. */
  readonly whole: boolean;
  /** Whether the range could be split into smaller ranges. */
  readonly divisible: boolean;
}

/**
 * Thrown if a slow range was cut before it arrived completely: retrying the same size may fail
 * again.
 */
export class RangeCut extends Error {
  override readonly name = 'RangeCut';
}

/** If a connection breaks earlier than this, the request's size was not the cause. */
const longAttemptMs = 10_000;

/**
 * The REST API as the CLI uses it (api.md). Calls are retried if that is safe, and error responses
 * are thrown as ApiError.
 */
export class Api {
  readonly #deletedRuns = new Map<string, ApiError>();
  readonly http: HttpClient;
  readonly #retry: Retry;
  readonly #appends: Throttle;
  readonly #stop: AbortSignal | undefined;

  #uploads = '';

  /** Once `stop` is aborted, failed requests are not retried; requests in flight continue. */
  constructor(http: HttpClient, retry: Retry, appends: Throttle, stop?: AbortSignal) {
    this.http = http;
    this.#retry = retry;
    this.#appends = appends;
    this.#stop = stop;
  }

  /**
   * From now on, uses the upload addresses from the service's `/limits`. Without this call, uses
   * the addresses that every service has.
   */
  useUploads(theirs: Json): void {
    this.#uploads = theirs['uploadsVersion'] === undefined ? '' : '/uploads';
  }

  /** GET of a JSON document; `path` below /api/v1. */
  get(path: string, what: string, options: RequestOptions = {}): Promise<Json> {
    return this.#json('GET', path, what, options);
  }

  /**
   * POST, PATCH or DELETE with a JSON body. A POST that creates something needs `idempotencyKey`,
   * because a retry could otherwise create it twice.
   */
  send(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    what: string,
    body?: object,
    idempotencyKey?: string,
    signal?: AbortSignal,
  ): Promise<Json> {
    const headers: Record<string, string> = {};
    if (body) headers['content-type'] = 'application/json';
    if (idempotencyKey) headers['idempotency-key'] = idempotencyKey;
    return this.#json(method, path, what, { headers, signal, ...(body && { body: Buffer.from(JSON.stringify(body)) }) });
  }

  /** A read-only POST, for a query that is too long for a URL. `headers`: credentials. */
  read(path: string, what: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Json> {
    return this.#json('POST', path, what, {
      headers: { 'content-type': 'application/json', ...headers },
      body: Buffer.from(JSON.stringify(body)),
    });
  }

  /** All pages of a list, item by item. */
  async *pages(path: string, field: string, what: string): AsyncGenerator<Json> {
    const join = path.includes('?') ? '&' : '?';
    for (let token = ''; ;) {
      const page = await this.get(`${path}${join}page_size=1000${token && `&page_token=${encodeURIComponent(token)}`}`, what);
      for (const item of asArray(page[field], field)) yield asObject(item, field);
      const next = page['next_page_token'];
      if (typeof next !== 'string' || next === '') return;
      token = next;
    }
  }

  /**
   * POST /uploads/experiments/{eid}/files: announces a file. `newVersionKey` requests a new version
   * and makes the request idempotent.
   */
  async announce(
    experimentId: ExperimentId,
    file: { run: RunName; name: string; length?: number },
    newVersionKey?: string,
  ): Promise<RemoteFile> {
    const path = `/experiments/${experimentId}/files`;
    const body = newVersionKey ? { ...file, new_version: true } : file;
    const ask = (more: object = {}) =>
      this.#upload((prefix) =>
        this.response('POST', `${prefix}${path}`, `Announcing ${file.run}/${file.name}`, {
          headers: { 'content-type': 'application/json', ...(newVersionKey && { 'idempotency-key': newVersionKey }) },
          body: Buffer.from(JSON.stringify({ ...body, ...more })),
        }),
      );
    // A file must not restore a run that was deleted while this process worked on it.
    const run = `${experimentId}\0${file.run}`;
    const deleted = this.#deletedRuns.get(run);
    if (deleted) throw deleted;
    const response = await ask().catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'run-deleted') throw error;
      // The run was deleted before this process started, so this is a new upload.
      if (Number(error.problem['deleted_ms_ago'] ?? 0) > performance.now()) return ask({ after_deletion: true });
      this.#deletedRuns.set(run, error);
      throw error;
    });
    const json = parse(response);
    return {
      fileId: fileIdField(json, 'file_id'),
      version: intField(json, 'version'),
      offset: intField(json, 'offset'),
      crc32c: crcField(json, 'crc32c'),
      created: response.status === 201 && response.headers['idempotency-replayed'] === undefined,
    };
  }

  /** HEAD /uploads/files/{file_id}. */
  async position(fileId: FileId): Promise<FilePosition> {
    const { headers } = await this.#upload((prefix) => this.response('HEAD', `${prefix}/files/${fileId}`, 'Reading the offset'));
    const window = headers['upload-window'];
    return {
      offset: offsetHeader(headers),
      kept: parseRanges(String(headers['upload-ranges'] ?? '')),
      window: window === undefined ? null : Number(window),
    };
  }

  /**
   * PATCH /uploads/files/{file_id}: one range. Waits if the server asks it to. Throws {@link
   * RangeCut} if smaller ranges should be tried.
   */
  async append(fileId: FileId, { offset, body, digest, encoding, whole, divisible }: RangeToSend): Promise<Acknowledged> {
    const headers: Record<string, string> = {
      'content-type': 'application/octet-stream',
      'upload-offset': String(offset),
      'content-digest': crc32cDigest(digest),
    };
    if (encoding) headers['content-encoding'] = encoding;
    if (whole) headers['upload-complete'] = '?1';
    let ms = 0;
    const attempt = async (): Promise<HttpResponse> => {
      const started = performance.now();
      try {
        return await this.#upload((prefix) => this.#once('PATCH', `${prefix}/files/${fileId}`, 'Uploading', { headers, body }));
      } catch (error) {
        const cut = error instanceof ApiError ? error.code === 'body-timeout' : error instanceof NetworkError && !error.permanent;
        if (cut && divisible && performance.now() - started > longAttemptMs) throw new RangeCut((error as Error).message, { cause: error });
        throw error;
      } finally {
        ms = performance.now() - started;
      }
    };
    const response = await this.#retry.run(() => this.#appends.run(attempt, this.#stop), this.#stop);
    const complete = response.headers['upload-complete'] === '?1';
    return { offset: offsetHeader(response.headers), epoch: Number(response.headers['upload-epoch'] ?? 0), complete, ms };
  }

  /** POST /uploads/files/{file_id}/complete. Returns the epoch. Idempotent. */
  async complete(fileId: FileId, bytes: number, crc: number): Promise<number> {
    const response = await this.#upload((prefix) =>
      this.response('POST', `${prefix}/files/${fileId}/complete`, 'Completing a file', {
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify({ bytes, crc32c: crc32cHex(crc) })),
      }),
    );
    return Number(response.headers['upload-epoch'] ?? 0);
  }

  /**
   * An upload request. If its address does not exist, either the proxy does not route the prefix,
   * or the upload process is older than the process that announced the prefix. In both cases, the
   * addresses without the prefix are used.
   */
  async #upload(request: (prefix: string) => Promise<HttpResponse>): Promise<HttpResponse> {
    const prefix = this.#uploads;
    try {
      return await request(prefix);
    } catch (error) {
      // A response to HEAD has no problem code.
      const isUnknown = error instanceof ApiError && (error.code === 'not-found' || error.code === 'http-404');
      if (!isUnknown || prefix === '') throw error;
      this.#uploads = '';
      return request('');
    }
  }

  /** All files of an experiment, every version. */
  async files(experimentId: ExperimentId): Promise<ListedFile[]> {
    const files: ListedFile[] = [];
    for await (const file of this.pages(`/experiments/${experimentId}/files`, 'files', 'Listing files')) {
      files.push({
        fileId: fileIdField(file, 'file_id'),
        run: stringField(file, 'run'),
        name: stringField(file, 'name'),
        version: intField(file, 'version'),
        bytes: intField(file, 'bytes'),
        crc32c: crcField(file, 'crc32c'),
        ...contentOf(file),
        complete: file['complete'] === true,
        copyOf: copyOf(file),
        replaced: file['replaced'] === true,
      });
    }
    return files;
  }

  /**
   * The first unreadable positions in files of an experiment, at most 1,000: the id of the file,
   * and a key that identifies each position.
   */
  async damagedPlaces(experimentId: ExperimentId, signal?: AbortSignal): Promise<{ readonly fileId: FileId; readonly place: string }[]> {
    const path = `/experiments/${experimentId}/problems?page_size=1000`;
    const { problems } = await this.get(path, 'Reading which files are damaged', { signal });
    return asArray(problems, 'problems').map((item) => {
      const problem = asObject(item, 'problems');
      const fileId = fileIdField(problem, 'file_id');
      return { fileId, place: `${fileId} ${intField(problem, 'offset')} ${stringField(problem, 'reason')}` };
    });
  }

  /**
   * GET /files/{file_id}/content: the original bytes, piece by piece. Throws if they end early;
   * does not retry. Sends the experiment id because visitors need it.
   */
  async *content(experimentId: ExperimentId, fileId: FileId): AsyncGenerator<Buffer> {
    yield* this.download('GET', `/files/${fileId}/content?experiment=${experimentId}`, 'Fetching a file');
  }

  /** Streams a response of any size. */
  async *download(method: 'GET' | 'POST', path: string, what: string, options: RequestOptions = {}): AsyncGenerator<Buffer> {
    const response = await this.http.stream(method, `/api/v1${path}`, options);
    const status = response.statusCode ?? 0;
    if (status < 200 || status > 299) {
      const chunks: Buffer[] = [];
      for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
      throw new ApiError(what, { status, headers: response.headers, body: Buffer.concat(chunks) });
    }
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) yield chunk;
    } catch (error) {
      throw this.http.lost(error);
    }
  }

  async #json(method: string, path: string, what: string, options: RequestOptions): Promise<Json> {
    return parse(await this.response(method, path, what, options));
  }

  /** A response that is not JSON, for requests that are safe to repeat. */
  response(method: string, path: string, what: string, options: RequestOptions = {}): Promise<HttpResponse> {
    return this.#retry.run(() => this.#once(method, path, what, options), this.#stop);
  }

  async #once(method: string, path: string, what: string, options: RequestOptions): Promise<HttpResponse> {
    const response = await this.http.request(method, `/api/v1${path}`, options);
    if (response.status < 200 || response.status > 299) throw new ApiError(what, response);
    return response;
  }
}

function parse(response: HttpResponse): Json {
  if (response.body.length === 0) return {};
  try {
    return asObject(JSON.parse(response.body.toString('utf8')), 'the response');
  } catch (error) {
    if (error instanceof UnexpectedResponse) throw error;
    throw new UnexpectedResponse('the response is not JSON; is this a Plotline server?', { cause: error });
  }
}

/**
 * The id of the file that this file copies; null if it is not a copy, or if the service does not
 * report the id.
 */
export function copyOf(file: Json): FileId | null {
  return file['copy_of'] === null || file['copy_of'] === undefined ? null : fileIdField(file, 'copy_of');
}

function offsetHeader(headers: HttpResponse['headers']): number {
  const value = headers['upload-offset'];
  if (typeof value !== 'string' || !/^\d+$/.test(value)) throw new UnexpectedResponse('Upload-Offset is missing');
  return Number(value);
}

/** `Upload-Ranges`: comma-separated `start-end` with an inclusive end, like HTTP byte ranges. */
export function parseRanges(value: string): ByteRange[] {
  const ranges: ByteRange[] = [];
  for (const part of value.split(',')) {
    const match = /^\s*(?:bytes=)?(\d+)-(\d+)\s*$/.exec(part);
    if (match) ranges.push({ start: Number(match[1]), end: Number(match[2]) + 1 });
  }
  return ranges.sort((a, b) => a.start - b.start);
}

/**
 * The downloadable content of a file; a service without rewritten files returns the received bytes.
 */
export function contentOf(file: Json): { contentCrc32c: number | null; rewritten: boolean } {
  const crc = file['content_crc32c'] === undefined ? 'crc32c' : 'content_crc32c';
  return { contentCrc32c: file[crc] === null ? null : crcField(file, crc), rewritten: file['original_rewritten'] === true };
}
