import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** The kinds of processes that serve clients. */
export type BackendKind = 'upload' | 'read';

/** Returns the ports of all processes of a kind; called for every request. */
export type Backends = (kind: BackendKind) => readonly number[];

/** Messages from the thread: it is listening, or it requests the ports of a kind. */
export type FromFront = { readonly listensOn: number } | { readonly question: number; readonly kind: BackendKind };

/** Response to the thread: ports of 127.0.0.1. */
export interface ToFront {
  readonly question: number;
  readonly ports: readonly number[];
}

/**
 * The single address that clients know: a reverse proxy, as any service would have. It runs in a
 * separate thread, so that megabytes of traffic do not trigger garbage collections of a bench's
 * whole heap.
 */
export class Front {
  readonly url: string;
  readonly #thread: Worker;

  private constructor(thread: Worker, port: number) {
    this.#thread = thread;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Listens on `port` of 127.0.0.1; 0: any free port. */
  static async start(backends: Backends, port = 0): Promise<Front> {
    // From the sources or from dist, like this file.
    const thread = new Worker(new URL(`./front-thread${extname(import.meta.url)}`, import.meta.url), { workerData: port });
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    let listens = false;
    thread.on('error', (error) => {
      if (listens) throw error;
      reject(error);
    });
    thread.on('message', (message: FromFront) => {
      if ('listensOn' in message) resolve(message.listensOn);
      else thread.postMessage({ question: message.question, ports: backends(message.kind) } satisfies ToFront);
    });
    const listensOn = await promise;
    listens = true;
    thread.unref();
    return new Front(thread, listensOn);
  }

  /** Aborts open requests. */
  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
