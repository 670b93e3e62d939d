import { createHash, randomUUID } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32c } from '@node-rs/crc32';
import { columnsCoding, encodeBlock } from '#columns';
import type { AckLog } from './ack-log.ts';
import { bytesOf, type FilePlan } from './training.ts';

/** A response, or the reason that there is none. */
export type ClientResult =
  | { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }
  | { readonly status: null; readonly error: string };

/** The behavior of a client. */
export interface ClientOptions {
  readonly url: string;
  readonly token: string;
  readonly log: AckLog;
  readonly random: () => number;
  /** Timeout of a request; the client then does not know its outcome. */
  readonly timeoutMs?: number;
  /** The client gives up after this time without success, which is a failure of the system. */
  readonly giveUpMs?: number;
  /** Probability that a bit of a body is flipped in transit. */
  readonly flipChance?: number;
}

/** A file that is being sent. */
export interface SentFile {
  readonly plan: FilePlan;
  readonly experimentId: string;
  readonly fileId: string;
  readonly length: number;
  readonly sha256: string;
}

/** The sizes of a file's ranges, the pauses between them, and their coding. */
export interface Pace {
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly pauseMs: number;
  /**
   * Fraction of the ranges that are sent as columns, if that makes them shorter; half by default. A
   * range above 64 KiB that is sent as columns can be stored in a row, because its block is
   * smaller.
   */
  readonly columnsChance?: number;
}

/** Thrown when a client cannot make progress. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp';
}

const pauseMs = { rejected: 250, unknown: 50 };

/**
 * An uploader inside this process, much faster than the CLI: sends ranges one after another,
 * continues at the server's offset after an unknown outcome, and records all acknowledgements. It
 * validates every response and gives up only after its timeout.
 */
export class ChaosClient {
  readonly options: ClientOptions;
  /** Requests that were sent. */
  requests = 0;
  /** Number of requests that would have been sent without any fault. */
  steps = 0;
  /** Flipped bits that were rejected, as required. */
  flipsRejected = 0;
  /** Flipped bits that were accepted: bugs in the system. */
  readonly flipsTaken: string[] = [];
  /** 5xx responses without a problem document, or with a status other than 503 and 507. */
  readonly oddResponses = new Map<string, number>();
  /** Ends the pauses of a client that stops early. */
  readonly halt = new AbortController();
  readonly #agent = new Agent({ keepAlive: true });

  constructor(options: ClientOptions) {
    this.options = options;
  }

  close(): void {
    this.halt.abort();
    this.#agent.destroy();
  }

  /** Sends a request; never throws. */
  send(method: string, path: string, headers: Record<string, string | number> = {}, body?: Buffer): Promise<ClientResult> {
    const { url, token, timeoutMs = 10_000 } = this.options;
    this.requests++;
    return new Promise((resolve) => {
      const asked = request(`${url}/api/v1${path}`, {
        method,
        agent: this.#agent,
        headers: { authorization: `Bearer ${token}`, 'content-length': body?.length ?? 0, ...headers },
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), this.halt.signal]),
      });
      asked.on('error', (error: NodeJS.ErrnoException) => resolve({ status: null, error: error.code ?? error.message }));
      asked.on('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', (error: NodeJS.ErrnoException) => resolve({ status: null, error: error.code ?? error.message }));
        response.on('end', () => {
          const result = { status: response.statusCode!, headers: response.headers, body: Buffer.concat(pieces) };
          this.#noteOdd(method, result);
          resolve(result);
        });
      });
      asked.end(body);
    });
  }

  /** Repeats a JSON request until it succeeds. */
  async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = { ...(text && { 'content-type': 'application/json' }), ...(method === 'POST' && { 'idempotency-key': randomUUID() }) };
    const response = await this.#insist(`${method} ${path}`, () => this.send(method, path, headers, text));
    this.steps++;
    return JSON.parse(response.body.toString()) as T;
  }

  /** Creates an experiment. */
  async createExperiment(name: string): Promise<string> {
    return (await this.json<{ id: string }>('POST', '/experiments', { name })).id;
  }

  /** Announces a file and sends all of it, retrying as needed. */
  async upload(experimentId: string, plan: FilePlan, pace: Pace, onAnnounced?: (file: SentFile) => void): Promise<SentFile> {
    const bytes = bytesOf(plan);
    const file = await this.announce(experimentId, plan, bytes);
    onAnnounced?.(file);
    await this.sendFrom(file, bytes, 0, pace);
    await this.complete(file, bytes);
    return file;
  }

  /** Announces a file. */
  async announce(experimentId: string, plan: FilePlan, bytes: Buffer): Promise<SentFile> {
    const { file_id: fileId, offset } = await this.json<{ file_id: string; offset: number }>('POST', `/experiments/${experimentId}/files`, {
      run: plan.run,
      name: plan.name,
    });
    this.options.log.promise(fileId, offset, 'announce');
    return { plan, experimentId, fileId, length: bytes.length, sha256: sha256(bytes) };
  }

  /** Sends the ranges from `from` to the end of `bytes`. */
  async sendFrom(file: SentFile, bytes: Buffer, from: number, { minBytes, maxBytes, pauseMs: pace, columnsChance }: Pace): Promise<void> {
    const { random, giveUpMs = 120_000 } = this.options;
    let stuckSince = performance.now();
    for (let at = from; at < bytes.length;) {
      if (this.halt.signal.aborted) return;
      const length = Math.min(bytes.length - at, minBytes + Math.floor(random() * (maxBytes - minBytes + 1)));
      const pause = pace * random() * 2;
      const next = await this.append(file, at, bytes.subarray(at, at + length), columnsChance);
      if (next > at) this.steps++;
      if (next !== at) stuckSince = performance.now();
      else if (performance.now() - stuckSince > giveUpMs)
        throw new GaveUp(`no append to file ${file.fileId} at ${at} was accepted for ${giveUpMs / 1_000} s`);
      at = next;
      if (pause > 1) await this.#pause(pause);
    }
  }

  /**
   * Sends a range. Returns the offset at which to continue: the range's end, or the server's
   * durable offset.
   */
  async append(file: SentFile, offset: number, range: Buffer, columnsChance = 0.5): Promise<number> {
    const { log, random, flipChance = 0 } = this.options;
    const { fileId } = file;
    const flip = flipChance > 0 && random() < flipChance;
    const block = random() < columnsChance ? await encodeBlock(range, crc32c(range)) : null;
    const body = block ?? range;
    const headers = { ...appendHeaders(offset, body), ...(block && { 'content-encoding': columnsCoding }) };
    const started = performance.now();
    const response = await this.send('PATCH', `/files/${fileId}`, headers, flip ? flipped(body, random) : body);
    const ok = response.status === 204;
    const durableOffset = ok ? Number(response.headers['upload-offset']) : null;
    const epoch = ok && response.headers['upload-epoch'] !== undefined ? Number(response.headers['upload-epoch']) : null;
    if (flip && ok) this.flipsTaken.push(`file ${fileId} at ${offset}`);
    log.add({
      fileId,
      offset,
      length: range.length,
      sha256: sha256(range),
      outcome: ok ? 'ok' : response.status === null ? 'unknown' : 'fail',
      status: response.status ?? response.error,
      durableOffset,
      epoch,
      retryAfter: response.status === null ? null : (response.headers['retry-after'] ?? null),
      sentAt: started,
      at: Date.now(),
      tookMs: performance.now() - started,
    });
    if (durableOffset !== null) {
      log.promise(fileId, durableOffset, `append at ${offset}`);
      return durableOffset;
    }
    const corrected = response.status === 409 ? offsetOf(response) : null;
    if (corrected !== null) log.promise(fileId, corrected, `409 to an append at ${offset}`);
    if (flip && codeOf(response) === 'digest-mismatch') {
      this.flipsRejected++;
      return offset;
    }
    if (response.status !== null && response.status !== 409) {
      await this.#pause(waitOf(response));
      return offset;
    }
    return this.position(fileId);
  }

  /** Requests a file's durable offset until there is a response. */
  async position(fileId: string): Promise<number> {
    const response = await this.#insist(`HEAD of file ${fileId}`, () => this.send('HEAD', `/files/${fileId}`));
    const offset = Number(response.headers['upload-offset']);
    this.options.log.promise(fileId, offset, 'HEAD');
    return offset;
  }

  /** Marks a file as complete. */
  async complete({ fileId }: SentFile, bytes: Buffer): Promise<void> {
    const claim = { bytes: bytes.length, crc32c: crc32c(bytes).toString(16).padStart(8, '0') };
    await this.json('POST', `/files/${fileId}/complete`, claim);
  }

  async #insist(what: string, ask: () => Promise<ClientResult>): Promise<Exclude<ClientResult, { status: null }>> {
    const { giveUpMs = 120_000 } = this.options;
    const until = performance.now() + giveUpMs;
    for (;;) {
      const response = await ask();
      if (response.status !== null && response.status < 300) return response;
      if (this.halt.signal.aborted) throw new GaveUp(`${what}: stopped`);
      const lastResult = response.status === null ? response.error : `${response.status} ${response.body.toString().slice(0, 300)}`;
      if (response.status !== null && [400, 404, 409, 422].includes(response.status)) throw new GaveUp(`${what}: ${lastResult}`);
      if (performance.now() > until) throw new GaveUp(`${what}: no success for ${giveUpMs / 1_000} s, last result ${lastResult}`);
      await this.#pause(waitOf(response));
    }
  }

  async #pause(ms: number): Promise<void> {
    // The client was halted; the loops check the signal.
    await sleep(ms, undefined, { signal: this.halt.signal }).catch(() => undefined);
  }

  #noteOdd(method: string, response: Exclude<ClientResult, { status: null }>): void {
    if (response.status < 500) return;
    const code = codeOf(response);
    if ((response.status === 503 || response.status === 507) && (code !== null || method === 'HEAD')) return;
    const key = `${response.status} ${code ?? response.body.toString().slice(0, 80)}`;
    this.oddResponses.set(key, (this.oddResponses.get(key) ?? 0) + 1);
  }
}

/** Returns the headers of an append, with the digest of the unmodified bytes. */
export function appendHeaders(offset: number, range: Buffer): Record<string, string | number> {
  return {
    'content-type': 'application/octet-stream',
    'upload-offset': offset,
    'content-digest': `sha-256=:${createHash('sha256').update(range).digest('base64')}:`,
  };
}

/** Returns the `code` of a problem document; null if the response is not one. */
export function codeOf(response: ClientResult): string | null {
  const { code } = problemOf(response);
  return typeof code === 'string' ? code : null;
}

/** Returns the offset in a response's header or problem document; null if there is none. */
export function offsetOf(response: ClientResult): number | null {
  if (response.status === null) return null;
  const named = response.headers['upload-offset'] ?? problemOf(response).offset;
  return named === undefined || named === null ? null : Number(named);
}

function problemOf(response: ClientResult): { readonly code?: unknown; readonly offset?: unknown } {
  if (response.status === null) return {};
  try {
    const problem = JSON.parse(response.body.toString()) as unknown;
    return typeof problem === 'object' && problem !== null ? problem : {};
  } catch {
    return {}; // Not JSON.
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function flipped(range: Buffer, random: () => number): Buffer {
  const copy = Buffer.from(range);
  copy[Math.floor(random() * copy.length)]! ^= 1 << Math.floor(random() * 8);
  return copy;
}

/** Returns the delay that the server requests, capped for tests. */
function waitOf(response: ClientResult): number {
  if (response.status === null) return pauseMs.unknown;
  const asked = Number(response.headers['retry-after']);
  return Number.isFinite(asked) && asked > 0 ? Math.min(asked, 2) * 1_000 : pauseMs.rejected;
}
