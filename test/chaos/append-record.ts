import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** One append that went through an {@link AppendRecord}. */
export interface RecordedAppend {
  readonly fileId: string;
  readonly offset: number;
  /** The highest offset that any answer had named for the file when the append came; null: none. */
  readonly durable: number | null;
  /** Null: it was not answered. */
  status: number | null;
}

const announcement = /^\/api\/v1\/experiments\/[^/]+\/files$/;
const ofAFile = /^\/api\/v1\/files\/(\d+)(?:\/complete)?$/;
/** Headers that belong to one connection (RFC 9110, 7.6.1). */
const ofTheConnection = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * A front before the service that writes down every append, and what the service had promised of its file by then. A request that has come whole is
 * asked to the end, though whoever sent it may be dead by then.
 */
export class AppendRecord {
  readonly appends: RecordedAppend[] = [];
  /** Requests about files that were answered with 409. */
  readonly conflicts: string[] = [];
  readonly #target: URL;
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #durable = new Map<string, number>();

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((asked, answer) => this.#pass(asked, answer));
  }

  /** Listens before it resolves. */
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

  /** Appends that began beyond what the service had said to be durable. */
  get ahead(): RecordedAppend[] {
    return this.appends.filter(({ offset, durable }) => durable === null || !(offset <= durable));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
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
      headers: headersOf(asked.rawHeaders, ofTheConnection),
      setHost: false,
    });
    asked.on('error', () => passed.destroy()); // it did not come whole
    asked.on('close', () => {
      if (!asked.complete) passed.destroy();
    });
    answer.on('error', () => undefined); // who asked is gone
    passed.on('error', () => answer.destroy());
    passed.on('response', (response) => {
      if (append) append.status = response.statusCode!;
      if (response.statusCode === 409 && (fileId !== undefined || announcement.test(path))) this.conflicts.push(`${method} ${path}`);
      if (fileId !== undefined) this.#promise(fileId, response.headers['upload-offset']);
      response.on('error', () => answer.destroy());
      if (method === 'POST' && announcement.test(path)) return void this.#passAnnouncement(response, answer);
      answer.writeHead(response.statusCode!, headersOf(response.rawHeaders, ofTheConnection));
      response.pipe(answer);
      answer.on('close', () => response.resume());
    });
    asked.pipe(passed);
  }

  /** The client is told after the record was: what it sends then is compared with this. */
  async #passAnnouncement(response: IncomingMessage, answer: ServerResponse): Promise<void> {
    try {
      const body = (await json(response)) as { file_id?: string; offset?: number };
      if (body.file_id !== undefined) this.#promise(body.file_id, body.offset);
      answer.writeHead(response.statusCode!, headersOf(response.rawHeaders, new Set([...ofTheConnection, 'content-length'])));
      answer.end(JSON.stringify(body));
    } catch {
      answer.destroy(); // it was cut, or is no JSON
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

/** As they came, in a flat list, without some. */
function headersOf(raw: readonly string[], without: ReadonlySet<string>): string[] {
  return raw.flatMap((name, i) => (i % 2 === 0 && !without.has(name.toLowerCase()) ? [name, raw[i + 1]!] : []));
}
