import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/** The kinds of processes that are asked by clients. */
export type BackendKind = 'upload' | 'read';

/** Who serves: the ports of the processes of a kind, asked at each request. */
export type Backends = (kind: BackendKind) => readonly number[];

/** What the thread says: that it listens, or that it wants to know who serves. */
export type FromFront = { readonly listensOn: number } | { readonly question: number; readonly kind: BackendKind };

/** The answer to a question of the thread: ports of 127.0.0.1. */
export interface ToFront {
  readonly question: number;
  readonly ports: readonly number[];
}

/**
 * The one address that clients know: a reverse proxy, as stands before any service. It is a thread of its own, so that megabytes that go through it
 * do not have the whole heap of a bench looked through for garbage.
 */
export class Front {
  readonly url: string;
  readonly #thread: Worker;

  private constructor(thread: Worker, port: number) {
    this.#thread = thread;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Listens on `port` of 127.0.0.1; 0: any free one. */
  static async start(backends: Backends, port = 0): Promise<Front> {
    // From the sources or from dist, as this file is.
    const thread = new Worker(new URL(`./front-thread${extname(import.meta.url)}`, import.meta.url), { workerData: port });
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    let listens = false;
    thread.on('error', (error) => {
      if (listens) throw error;
      reject(error);
    });
    thread.on('message', (said: FromFront) => {
      if ('listensOn' in said) resolve(said.listensOn);
      else thread.postMessage({ question: said.question, ports: backends(said.kind) } satisfies ToFront);
    });
    const listensOn = await promise;
    listens = true;
    thread.unref();
    return new Front(thread, listensOn);
  }

  /** Cuts what is under way. */
  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
