import { Queue } from 'bullmq';
import type { Result } from 'ioredis';
import type { IngestRun } from './ingest-run.job.ts';
import { ingestRunJob } from './ingest-run.job.ts';
import { producerClient, type QueueClient } from './queue-client.ts';
import { findQueueRedisFault } from './queue-redis-fault.ts';
import { describeRedis, type RedisAddress } from './redis-address.ts';
import { admitScript, settleScript } from './run-queue-scripts.ts';
import { runKeyOf } from './tenant-lanes.ts';
import { traceOf } from './traced-job.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** {@link admitScript} */
    admitRun(...keysAndArguments: (string | number)[]): Result<number[], Context>;
    /** {@link settleScript} */
    settleRun(again: string, clock: string, priority: number): Result<number, Context>;
  }
}

/**
 * The result of an offer: it is queued now, was already queued, or will be queued after this run's
 * current job. Or the run is delayed and must be offered again after `restMs`.
 */
export type Admission = 'queued' | { readonly restMs: number };

/** Names of the queue's Redis keys. The braces keep them in one slot of a Redis Cluster. */
export interface QueueNames {
  readonly prefix: string;
  readonly queue: string;
}

/** Events on the connection of a {@link RunQueue}. */
export interface QueueEvents {
  /** The connection was opened. */
  readonly onReady: () => void;
  /** It has closed. */
  readonly onClose: () => void;
  /** It failed. */
  readonly onError: (error: Error) => void;
  /** Called when this Redis cannot store a queue. Not called again until the fault is fixed. */
  readonly onFault: (fault: Error) => void;
}

/**
 * A remaining mark means that the end of its job was lost. The sweeper offers the run again long
 * before the mark expires.
 */
const againMs = 600_000;

/** The queue in Redis, as producers use it. Every method may fail; nothing is retried here. */
export class RunQueue {
  readonly #client: QueueClient;
  readonly #queue: Queue;
  readonly #names: QueueNames;
  /** The fault found when this Redis was last checked. */
  #fault: string | null = null;

  constructor(redis: RedisAddress, names: QueueNames, { onReady, onClose, onError, onFault }: QueueEvents) {
    this.#names = names;
    this.#client = producerClient(redis);
    this.#client.defineCommand('admitRun', { lua: admitScript, numberOfKeys: 9 });
    this.#client.defineCommand('settleRun', { lua: settleScript, numberOfKeys: 2 });
    this.#client.on('ready', () => {
      onReady();
      findQueueRedisFault(this.#client).then((fault) => {
        if (fault !== null && fault !== this.#fault) onFault(new Error(`${describeRedis(redis)} cannot keep the queue: ${fault}`));
        this.#fault = fault;
      }, onError);
    });
    this.#client.on('close', onClose);
    this.#client.on('error', onError);
    this.#queue = new Queue(names.queue, {
      connection: this.#client,
      prefix: names.prefix,
      skipVersionCheck: true, // it would fail permanently if the connection broke during the check
      streams: { events: { maxLen: 100 } }, // unused
      defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
    });
    this.#queue.on('error', () => undefined); // these are the client's errors, which are reported above
  }

  isReady(): boolean {
    return this.#client.isReady();
  }

  /** Queues the run unless it is already queued. */
  async put(job: IngestRun): Promise<Admission> {
    const id = runKeyOf(job);
    const { prioritized, wait, active, delayed } = this.#queue.keys;
    const lists = [this.#queue.toKey(id), prioritized!, wait!, active!, delayed!];
    const ours = [this.#mark('again', id), this.#mark('rest', id), this.#mark('turns'), this.#mark('clock')];
    const [verdict, value] = await this.#ask(() => this.#client.admitRun(...lists, ...ours, id, job.tenantId, againMs));
    if (verdict === 3) return { restMs: value! };
    if (verdict === 2) await this.#ask(() => this.#queue.add(ingestRunJob.name, job, { jobId: id, priority: value!, ...traceOption(job) }));
    return 'queued';
  }

  /** Delays the run for `ms`, by the Redis clock. Offers must wait until then. */
  async rest(job: IngestRun, ms: number): Promise<void> {
    await this.#ask(() => this.#client.set(this.#mark('rest', runKeyOf(job)), '1', 'PX', ms));
  }

  /**
   * Call after the end of a job that was queued with `priority`. Returns whether its run was
   * offered while it ran; true only once.
   */
  async settle(job: IngestRun, priority: number): Promise<boolean> {
    return (await this.#ask(() => this.#client.settleRun(this.#mark('again', runKeyOf(job)), this.#mark('clock'), priority))) === 1;
  }

  /** How many runs could start now. */
  async countWaiting(): Promise<number> {
    const counts = await this.#ask(() => this.#queue.getJobCounts('prioritized', 'wait'));
    return counts.prioritized! + counts.wait!;
  }

  close(): void {
    this.#client.cut();
  }

  /**
   * If a command gets no response, the connection is dead; TCP would detect that only after
   * minutes.
   */
  async #ask<T>(command: () => Promise<T>): Promise<T> {
    try {
      return await command();
    } catch (error) {
      if (error instanceof Error && error.message === 'Command timed out') this.#client.disconnect(true);
      throw error;
    }
  }

  #mark(kind: 'again' | 'rest' | 'turns' | 'clock', id?: string): string {
    const { prefix, queue } = this.#names;
    return id === undefined ? `${prefix}:${queue}-${kind}` : `${prefix}:${queue}-${kind}:${id}`;
  }
}

/** The trace of the request that offered the job. BullMQ keeps it beside the payload. */
function traceOption(job: IngestRun): { telemetry?: { metadata: string } } {
  const trace = traceOf(job);
  return trace === undefined ? {} : { telemetry: { metadata: trace } };
}
