import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';

/** Ports of the processes behind the front, by what they do. */
export interface Backends {
  readonly upload: readonly number[];
  readonly read: readonly number[];
}

const uploads = /^\/api\/v1\/(files\/[^/]+(\/complete)?|experiments\/[^/]+\/files)\/?$/;

/**
 * The one address that clients know: a reverse proxy as stands before any service. What belongs to uploads goes to the upload processes, the rest to
 * the read processes, in turn. A process that does not answer is passed over; what was begun and cannot be finished ends with the connection.
 */
export class Front {
  readonly #server: Server;
  readonly #backends: Backends;
  readonly #agent = new Agent({ keepAlive: true });
  #turn = 0;

  private constructor(backends: Backends) {
    this.#backends = backends;
    this.#server = createServer((asked, answer) => this.#pass(asked, answer));
    this.#server.requestTimeout = 0;
  }

  static async start(backends: Backends): Promise<Front> {
    const front = new Front(backends);
    await new Promise<void>((resolve, reject) => {
      front.#server.once('error', reject);
      front.#server.listen(0, '127.0.0.1', resolve);
    });
    return front;
  }

  get url(): string {
    const address = this.#server.address();
    if (!address || typeof address === 'string') throw new Error('the front does not listen');
    return `http://127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#agent.destroy();
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    const path = asked.url!.split('?')[0]!;
    const isUpload = uploads.test(path) && asked.method !== 'GET';
    const ports = isUpload ? this.#backends.upload : this.#backends.read;
    const first = this.#turn++;
    this.#try(
      asked,
      answer,
      ports.map((_, i) => ports[(first + i) % ports.length]!),
    );
  }

  #try(asked: IncomingMessage, answer: ServerResponse, [port, ...others]: readonly number[]): void {
    if (port === undefined) return refuse(answer);
    let sent = false;
    const passed = request({ host: '127.0.0.1', port, agent: this.#agent, method: asked.method, path: asked.url, headers: asked.headers });
    passed.on('socket', (socket) => {
      const begin = (): void => {
        sent = true;
        asked.pipe(passed);
      };
      if (socket.connecting) socket.once('connect', begin);
      else begin();
    });
    passed.on('response', (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
      response.on('error', () => answer.destroy());
    });
    passed.on('error', () => {
      if (!sent) this.#try(asked, answer, others);
      else if (!answer.headersSent && asked.readableEnded && asked.method === 'GET') refuse(answer);
      else answer.destroy();
    });
    // A client that went away takes what it had begun with it.
    answer.on('close', () => {
      if (!answer.writableFinished) passed.destroy();
    });
  }
}

/** What a reverse proxy says while nobody is behind it. */
function refuse(answer: ServerResponse): void {
  if (answer.headersSent) return void answer.destroy();
  answer.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '1' });
  answer.end(
    JSON.stringify({
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      code: 'store-unavailable',
      detail: 'No process serves this right now.',
    }),
  );
}
