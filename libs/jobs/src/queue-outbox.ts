import type { IngestRun } from './ingest-run.job.ts';
import type { RunQueue } from './run-queue.ts';
import { runKeyOf, TenantLanes } from './tenant-lanes.ts';

/** Offers that wait in this process for Redis; more are dropped. About 200 bytes each. */
export const maxUnsent = 10_000;
/** Offers that are on their way to Redis at once. */
export const maxSending = 64;

/** What became of offers. */
export interface OutboxCounts {
  /** Offers that were made to the queue. */
  offered: number;
  /** Offers that came into the queue, or were there. */
  queued: number;
  /** Offers that were dropped: Redis did not take them, or they were too many to wait for it, and this process does not do them alone. */
  lost: number;
}

/** Told of an offer that Redis did not take, and why; whether it is taken up otherwise. */
export type OnRefused = (job: IngestRun, error: unknown) => boolean;

/**
 * Offers on their way to Redis. Nobody waits for them: they are kept here for a moment while there is no connection, sent in turn by
 * tenant. Those that Redis does not take go to `onRefused`, those that nobody sent may be taken back; what is too many is dropped.
 */
export class QueueOutbox {
  readonly #queue: Pick<RunQueue, 'isReady' | 'put'>;
  readonly #counts: OutboxCounts;
  readonly #onRefused: OnRefused;
  readonly #unsent = new TenantLanes();
  /** Runs that rest, until they are offered again. By a timer of this process and not as delayed jobs, which go by the time of day of several machines. */
  readonly #resting = new Map<string, NodeJS.Timeout>();
  #sending = 0;
  #closed = false;

  constructor(queue: Pick<RunQueue, 'isReady' | 'put'>, counts: OutboxCounts, onRefused: OnRefused) {
    this.#queue = queue;
    this.#counts = counts;
    this.#onRefused = onRefused;
  }

  add(job: IngestRun): void {
    if (this.#closed) return;
    this.#counts.offered++;
    if (this.#resting.has(runKeyOf(job))) return;
    if (this.#unsent.size + this.#resting.size >= maxUnsent) this.#counts.lost++;
    else this.#unsent.add(job);
    this.send();
  }

  /** Sends what can be sent; to be called when the connection has been made. */
  send(): void {
    while (this.#queue.isReady() && this.#sending < maxSending) {
      const job = this.#unsent.take();
      if (!job) return;
      this.#sending++;
      void this.#put(job);
    }
  }

  /** Gives back what has not been sent. */
  *takeUnsent(): Generator<IngestRun> {
    for (let job = this.#unsent.take(); job; job = this.#unsent.take()) yield job;
  }

  close(): void {
    this.#closed = true;
    this.#unsent.clear();
    for (const timer of this.#resting.values()) clearTimeout(timer);
    this.#resting.clear();
  }

  async #put(job: IngestRun): Promise<void> {
    try {
      const admission = await this.#queue.put(job);
      if (admission === 'queued') this.#counts.queued++;
      else this.#rest(job, admission.restMs);
    } catch (error) {
      if (!this.#onRefused(job, error)) this.#counts.lost++;
    }
    this.#sending--;
    this.send();
  }

  #rest(job: IngestRun, restMs: number): void {
    const key = runKeyOf(job);
    if (this.#closed || this.#resting.has(key)) return;
    const timer = setTimeout(() => {
      this.#resting.delete(key);
      this.#unsent.add(job);
      this.send();
    }, restMs);
    this.#resting.set(key, timer);
  }
}
