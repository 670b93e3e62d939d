import { type Job, WaitingError, Worker } from 'bullmq';
import { consumerClient, type QueueClient } from './queue-client.ts';
import type { QueueNames } from './run-queue.ts';

/** What a {@link QueueWorker} is told to do. */
export interface QueueWorkerOptions<Result> {
  readonly concurrency: number;
  /** A job whose worker has not been heard of for this long is given to another one. */
  readonly lockMs: number;
  /** Does the job; must not throw. What it gives back comes to `settled`; null: the job is put back. */
  readonly process: (data: unknown) => Promise<Result | null>;
  /** The job is out of the queue. `priority`: with which it was queued. */
  readonly settled: (data: unknown, priority: number, result: Result) => void;
  /** The queue does not hold a job of this worker any more: it was wiped, or the worker was not heard of for too long. */
  readonly lapsed: () => void;
  /** One of its connections has been made. */
  readonly onReady: () => void;
  readonly onError: (error: Error) => void;
}

/** Pause after a refusal by Redis (out of memory, read only, loading), which BullMQ would otherwise repeat without one. */
const pauseMs = 1_000;

/** A BullMQ worker with connections of its own, which can be given up in any state. */
export class QueueWorker<Result> {
  readonly #client: QueueClient;
  readonly #worker: Worker<unknown, Result>;
  #pause: NodeJS.Timeout | null = null;

  constructor(url: string, names: QueueNames, options: QueueWorkerOptions<Result>) {
    this.#client = consumerClient(url);
    this.#client.on('error', options.onError);
    this.#client.whenReady(options.onReady);
    const process = async (job: Job<unknown>, token?: string): Promise<Result> => {
      const result = await options.process(job.data);
      if (result !== null) return result;
      await job.moveToWait(token);
      throw new WaitingError();
    };
    this.#worker = new Worker(names.queue, process, {
      connection: this.#client,
      prefix: names.prefix,
      concurrency: options.concurrency,
      lockDuration: options.lockMs,
      stalledInterval: options.lockMs / 2,
      runRetryDelay: pauseMs,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    this.#worker.on('completed', (job, result) => options.settled(job.data, job.priority, result));
    this.#worker.on('error', (error) => {
      if (isLapse(error)) return options.lapsed();
      options.onError(error);
      if (error.name === 'ReplyError') this.#takePause();
    });
  }

  isReady(): boolean {
    return this.#client.isReady();
  }

  /** Takes no more jobs, and resolves when those that run are done and out of the queue. */
  async close(): Promise<void> {
    if (this.#pause) clearTimeout(this.#pause);
    await this.#worker.close();
    this.#client.cut();
  }

  /** Gives the connections up at once. Jobs that run go on without them, and the queue gives them to somebody else when their locks have lapsed. */
  abandon(): void {
    if (this.#pause) clearTimeout(this.#pause);
    this.#worker.close(true).catch(() => undefined); // nothing of it is used any more
    this.#client.cut();
  }

  #takePause(): void {
    if (this.#pause) return;
    this.#worker.pause(true).catch(() => undefined); // true: does not wait for running jobs, so that nothing can fail
    this.#pause = setTimeout(() => {
      this.#pause = null;
      this.#worker.resume().catch(() => undefined); // reports what goes wrong as 'error'
    }, pauseMs);
  }
}

/** BullMQ's answers for a job that it does not know as this worker's: no hash (-1), no lock (-2), not active (-3), another's lock (-6). */
function isLapse(error: Error): boolean {
  const code = 'code' in error ? error.code : null;
  return code === -1 || code === -2 || code === -3 || code === -6 || error.message.startsWith('could not renew lock');
}
