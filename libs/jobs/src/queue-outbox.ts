import type { IngestRun } from './ingest-run.job.ts';
import type { RunQueue } from './run-queue.ts';
import { runKeyOf, TenantLanes } from './tenant-lanes.ts';

/**
 * Maximum number of offers in this process that wait for Redis. Further offers are dropped. Each
 * takes about 200 bytes.
 */
export const maxUnsent = 10_000;
/** Maximum number of offers being sent to Redis at a time. */
export const maxSending = 64;

/** Counters of offers. */
export interface OutboxCounts {
  /** Offers made to the queue. */
  offered: number;
  /** Offers that were queued, now or earlier. */
  queued: number;
  /**
   * Offers dropped because Redis rejected them or too many were waiting for it, and this process
   * does not run them alone.
   */
  lost: number;
}

/**
 * Called with an offer that Redis rejected, and the error. Returns whether the offer is handled in
 * another way.
 */
export type OnRejected = (job: IngestRun, error: unknown) => boolean;

/**
 * Offers being sent to Redis. No caller waits for them: they are kept here while there is no
 * connection, and sent round-robin by tenant. Rejected offers go to `onRejected`, unsent offers can
 * be taken back, and excess offers are dropped.
 */
export class QueueOutbox {
  readonly #queue: Pick<RunQueue, 'isReady' | 'put'>;
  readonly #counts: OutboxCounts;
  readonly #onRejected: OnRejected;
  readonly #unsent = new TenantLanes();
  /**
   * Runs that are delayed until they are offered again. Uses a timer in this process instead of
   * delayed jobs, which depend on the clocks of several machines.
   */
  readonly #resting = new Map<string, NodeJS.Timeout>();
  #sending = 0;
  #closed = false;

  constructor(queue: Pick<RunQueue, 'isReady' | 'put'>, counts: OutboxCounts, onRejected: OnRejected) {
    this.#queue = queue;
    this.#counts = counts;
    this.#onRejected = onRejected;
  }

  add(job: IngestRun): void {
    if (this.#closed) return;
    this.#counts.offered++;
    if (this.#resting.has(runKeyOf(job))) return;
    if (this.#unsent.size + this.#resting.size >= maxUnsent) this.#counts.lost++;
    else this.#unsent.add(job);
    this.send();
  }

  /** Sends what can be sent. Call it when the connection opens. */
  send(): void {
    while (this.#queue.isReady() && this.#sending < maxSending) {
      const job = this.#unsent.take();
      if (!job) return;
      this.#sending++;
      void this.#put(job);
    }
  }

  /** Takes back the unsent offers. */
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
      if (!this.#onRejected(job, error)) this.#counts.lost++;
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
