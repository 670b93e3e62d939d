import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/**
 * A finished exchange. `milliseconds`: from sending the request to the last byte of the response.
 */
export interface Exchange {
  readonly status: number;
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
  readonly milliseconds: number;
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/**
 * Keeps one connection per origin alive if the server supports it, so that measurements exclude
 * connection setup.
 */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  async send(url: string, options: RequestOptions = {}): Promise<Exchange> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const headers = {
        ...options.headers,
        ...(options.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(options.body)) }),
      };
      const outgoing = request(url, { method: options.method ?? 'GET', agent: this.#agent, headers }, (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part: Buffer) => parts.push(part));
        incoming.on('error', reject);
        incoming.on('end', () => {
          resolve({
            status: incoming.statusCode ?? 0,
            body: Buffer.concat(parts),
            headers: incoming.headers,
            milliseconds: performance.now() - started,
          });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(options.body);
    });
  }

  /** Like `send`, but throws on any status other than 2xx, with the start of the response. */
  async expect(url: string, options: RequestOptions = {}): Promise<Exchange> {
    const exchange = await this.send(url, options);
    if (exchange.status < 200 || exchange.status > 299) {
      throw new Error(`${options.method ?? 'GET'} ${url}: ${exchange.status} ${exchange.body.toString('utf8').slice(0, 500)}`);
    }
    return exchange;
  }

  /** Like `expect`, but returns the body as JSON. The caller states the expected type. */
  async json<T>(url: string, options: RequestOptions = {}): Promise<T> {
    const { body } = await this.expect(url, options);
    return JSON.parse(body.toString('utf8')) as T;
  }

  close(): void {
    this.#agent.destroy();
  }
}
