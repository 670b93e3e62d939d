import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ClientGone, currentShare, FairQueue } from '#admission';
import { Problem } from '#model';

export interface PngRequest {
  readonly svg: string;
  readonly scale: number;
}

export type PngReply = { readonly png: Uint8Array } | { readonly error: string };

/**
 * Two threads, at most one per caller: a small picture never waits for another caller's large
 * picture. The second thread starts when two callers draw at once.
 */
const maxThreads = 2;
/** How long a picture waits for a thread; most take about 50 ms. */
const maxWaitMs = 5_000;
/**
 * How long an idle thread is kept. Its WebAssembly memory never shrinks: a thread that has drawn
 * the largest picture uses 130 MiB until it ends. Starting a thread takes about 0.2 s.
 */
const idleMs = 10_000;

/** Renders our SVG as PNG, in threads that start with the first pictures. */
@Injectable()
export class PngRenderer implements OnApplicationShutdown {
  readonly #queue = new FairQueue('pictures', maxThreads);
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  readonly #timers = new WeakMap<Worker, NodeJS.Timeout>();
  /** See {@link idleMs}; tests use a lower value. */
  keepMs = idleMs;

  /** Threads that have started and not ended. */
  get threads(): number {
    return this.#all.size;
  }

  /**
   * Renders a picture. `scale`: output pixels per pixel of the picture. Throws `rate-limited` if
   * the caller's pictures wait too long.
   */
  async render(svg: string, scale: number): Promise<Buffer> {
    const permit = await this.#queue
      .take(currentShare(), 1, () => AbortSignal.timeout(maxWaitMs))
      .catch((error: unknown) => {
        if (error instanceof ClientGone) throw error;
        throw new Problem('rate-limited', 'Too many of your images are being drawn. Try again in a second.', { cause: error });
      });
    try {
      const worker = this.#take();
      try {
        return await draw(worker, { svg, scale });
      } finally {
        if (this.#all.has(worker)) this.#rest(worker);
      }
    } finally {
      permit.release();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  /** Keeps a thread for the next picture, for a while. */
  #rest(worker: Worker): void {
    this.#idle.push(worker);
    const timer = setTimeout(() => {
      const at = this.#idle.indexOf(worker);
      if (at >= 0) this.#idle.splice(at, 1);
      void worker.terminate();
    }, this.keepMs).unref();
    this.#timers.set(worker, timer);
  }

  #take(): Worker {
    const worker = this.#idle.pop() ?? this.#start();
    clearTimeout(this.#timers.get(worker));
    return worker;
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`./png-thread.${extension}`, import.meta.url));
    this.#all.add(worker);
    worker.on('error', () => undefined); // 'exit' follows
    worker.on('exit', () => {
      this.#all.delete(worker);
      const at = this.#idle.indexOf(worker);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    worker.unref();
    return worker;
  }
}

/** Renders one picture in an idle thread. */
function draw(worker: Worker, request: PngRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stop = (): void => void worker.off('message', onReply).off('error', onError).off('exit', onExit);
    const onReply = (reply: PngReply): void => {
      stop();
      if ('png' in reply) resolve(Buffer.from(reply.png));
      else reject(new Error(`a picture could not be drawn: ${reply.error}`));
    };
    const onError = (error: Error): void => {
      stop();
      reject(error);
    };
    const onExit = (code: number): void => onError(new Error(`the thread that draws pictures ended (${code})`));
    worker.on('message', onReply).on('error', onError).on('exit', onExit);
    worker.postMessage(request);
  });
}
