import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** An append that passed through an {@link AppendRecord}. */
export interface RecordedAppend {
  readonly fileId: string;
  readonly offset: number;
  /**
   * The highest durable offset in any response for the file before the append; null if there is
   * none.
   */
  readonly durable: number | null;
  /** Null: no response. */
  status: number | null;
}

// Uploads have addresses with and without a prefix (docs/operating.md).
const announcement = /^\/api\/v1\/(?:uploads\/)?experiments\/[^/]+\/files$/;
const ofAFile = /^\/api\/v1\/(?:uploads\/)?files\/(\d+)(?:\/complete)?$/;
/** Headers that apply to one connection (RFC 9110, 7.6.1). */
const hopByHopHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * A proxy in front of the service that records every append, and the durable offset that its client
 * could know. It forwards a complete request even if the client has died in the meantime.
 */
export class AppendRecord {
  readonly appends: RecordedAppend[] = [];
  /** Requests about files that got a 409. */
  readonly conflicts: string[] = [];
  readonly #target: URL;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #durable = new Map<string, number>();

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((asked, response) => this.#pass(asked, response));
  }

  /** Resolves when it listens. */
  static async before(url: string): Promise<AppendRecord> {
    const record = new AppendRecord(new URL(url));
    await new Promise<void>((resolve, reject) => {
      record.#server.once('error', reject);
      record.#server.listen(0, '127.0.0.1', resolve);
    });
    return record;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Appends that started beyond the durable offset. */
  get ahead(): RecordedAppend[] {
    return this.appends.filter(({ offset, durable }) => durable === null || !(offset <= durable));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #pass(asked: IncomingMessage, result: ServerResponse): void {
    const { method, url = '/' } = asked;
    const path = url.split('?', 1)[0]!;
    const fileId = ofAFile.exec(path)?.[1];
    const append = method === 'PATCH' && fileId !== undefined ? this.#note(fileId, Number(asked.headers['upload-offset'])) : null;
    const passed = request({
      host: this.#target.hostname,
      port: this.#target.port,
      agent: this.#agent,
      method,
      path: url,
      headers: headersOf(asked.rawHeaders, hopByHopHeaders),
      setHost: false,
    });
    asked.on('error', () => passed.destroy()); // The request was incomplete.
    asked.on('close', () => {
      if (!asked.complete) passed.destroy();
    });
    result.on('error', () => undefined); // The client has disconnected.
    passed.on('error', () => result.destroy());
    passed.on('response', (response) => {
      if (append) append.status = response.statusCode!;
      if (response.statusCode === 409 && (fileId !== undefined || announcement.test(path))) this.conflicts.push(`${method} ${path}`);
      if (fileId !== undefined) this.#promise(fileId, response.headers['upload-offset']);
      response.on('error', () => result.destroy());
      if (method === 'POST' && announcement.test(path)) return void this.#passAnnouncement(response, result);
      result.writeHead(response.statusCode!, headersOf(response.rawHeaders, hopByHopHeaders));
      response.pipe(result);
      result.on('close', () => response.resume());
    });
    asked.pipe(passed);
  }

  /**
   * Records the offset before the client sees it, because the client's next append is compared with
   * it.
   */
  async #passAnnouncement(response: IncomingMessage, result: ServerResponse): Promise<void> {
    try {
      const body = (await json(response)) as { file_id?: string; offset?: number };
      if (body.file_id !== undefined) this.#promise(body.file_id, body.offset);
      result.writeHead(response.statusCode!, headersOf(response.rawHeaders, new Set([...hopByHopHeaders, 'content-length'])));
      result.end(JSON.stringify(body));
    } catch {
      result.destroy(); // The response was aborted, or is not JSON.
    }
  }

  #note(fileId: string, offset: number): RecordedAppend {
    const append = { fileId, offset, durable: this.#durable.get(fileId) ?? null, status: null };
    this.appends.push(append);
    return append;
  }

  #promise(fileId: string, offset: string | string[] | number | undefined): void {
    if (offset === undefined) return;
    this.#durable.set(fileId, Math.max(this.#durable.get(fileId) ?? 0, Number(offset)));
  }
}

/** Headers in their original order, as a flat list, with some omitted. */
function headersOf(raw: readonly string[], without: ReadonlySet<string>): string[] {
  return raw.flatMap((name, i) => (i % 2 === 0 && !without.has(name.toLowerCase()) ? [name, raw[i + 1]!] : []));
}
