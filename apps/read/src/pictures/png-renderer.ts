import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Problem } from '#model';

export interface PngRequest {
  readonly id: number;
  readonly svg: string;
  readonly scale: number;
}

export type PngReply = { readonly id: number; readonly png: Uint8Array } | { readonly id: number; readonly error: string };

interface Waiting {
  resolve(png: Buffer): void;
  reject(error: Error): void;
}

/** Pictures that wait for the thread at most; each takes about 50 ms. */
const mostWaiting = 50;

/** Draws SVG of ours as PNG, in a thread that starts with the first picture. */
@Injectable()
export class PngRenderer implements OnApplicationShutdown {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #last = 0;

  /** `scale`: pixels for each of the picture's. Throws `rate-limited` when too many wait. */
  render(svg: string, scale: number): Promise<Buffer> {
    if (this.#waiting.size >= mostWaiting) throw new Problem('rate-limited', 'Too many pictures are being drawn. Come again in a second.');
    const worker = (this.#worker ??= this.#start());
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, svg, scale } satisfies PngRequest);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const worker = new Worker(new URL(`./png-thread.${extension}`, import.meta.url));
    worker.on('message', (reply: PngReply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('png' in reply) waiting?.resolve(Buffer.from(reply.png));
      else waiting?.reject(new Error(`a picture could not be drawn: ${reply.error}`));
    });
    worker.on('error', (error) => this.#end(worker, error));
    worker.on('exit', (code) => this.#end(worker, new Error(`the thread that draws pictures ended (${code})`)));
    worker.unref();
    return worker;
  }

  /** Who waits is told; the next picture starts another thread. */
  #end(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
