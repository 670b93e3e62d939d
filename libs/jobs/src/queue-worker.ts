import { type Job, WaitingError, Worker } from 'bullmq';
import { consumerClient, type QueueClient } from './queue-client.ts';
import type { RedisAddress } from './redis-address.ts';
import type { QueueNames } from './run-queue.ts';

/** Options for a {@link QueueWorker}. */
export interface QueueWorkerOptions<Result> {
  readonly concurrency: number;
  /** If a worker is silent for this long, its job is given to another worker. */
  readonly lockMs: number;
  /**
   * Runs the job. Must not throw. Its result is passed to `settled`; null returns the job to the
   * queue. `trace`: the unchecked trace of the request that queued it.
   */
  readonly process: (data: unknown, trace: unknown) => Promise<Result | null>;
  /**
   * Called when the job was removed from the queue. `priority` is the priority that it had in the
   * queue.
   */
  readonly settled: (data: unknown, priority: number, result: Result) => void;
  /**
   * Called when the queue no longer has a job of this worker, because it was wiped or the worker
   * was silent for too long.
   */
  readonly lapsed: () => void;
  /** Called when one of the worker's connections opens. */
  readonly onReady: () => void;
  readonly onError: (error: Error) => void;
}

/**
 * Delay after Redis rejects a command (out of memory, read only, loading). Without it, BullMQ would
 * retry immediately.
 */
const pauseMs = 1_000;

/** A BullMQ worker with its own connections. They can be abandoned in any state. */
export class QueueWorker<Result> {
  readonly #client: QueueClient;
  readonly #worker: Worker<unknown, Result>;
  #pause: NodeJS.Timeout | null = null;

  constructor(redis: RedisAddress, names: QueueNames, options: QueueWorkerOptions<Result>) {
    this.#client = consumerClient(redis);
    this.#client.on('error', options.onError);
    this.#client.whenReady(options.onReady);
    const process = async (job: Job<unknown>, token?: string): Promise<Result> => {
      const result = await options.process(job.data, job.opts.telemetry?.metadata);
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

  /** Claims no more jobs. Resolves when the running jobs are done and removed from the queue. */
  async close(): Promise<void> {
    if (this.#pause) clearTimeout(this.#pause);
    await this.#worker.close();
    this.#client.cut();
  }

  /**
   * Abandons the connections immediately. Running jobs continue without them. The queue gives these
   * jobs to another worker when their locks expire.
   */
  abandon(): void {
    if (this.#pause) clearTimeout(this.#pause);
    this.#worker.close(true).catch(() => undefined); // it is no longer used
    this.#client.cut();
  }

  #takePause(): void {
    if (this.#pause) return;
    this.#worker.pause(true).catch(() => undefined); // true: does not wait for running jobs, so that nothing can fail
    this.#pause = setTimeout(() => {
      this.#pause = null;
      this.#worker.resume().catch(() => undefined); // reports failures as 'error'
    }, pauseMs);
  }
}

/**
 * BullMQ's errors for a job that does not belong to this worker: no hash (-1), no lock (-2), not
 * active (-3), another's lock (-6).
 */
function isLapse(error: Error): boolean {
  const code = 'code' in error ? error.code : null;
  return code === -1 || code === -2 || code === -3 || code === -6 || error.message.startsWith('could not renew lock');
}
