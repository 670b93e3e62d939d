import { runForService } from '#admission';
import { Dispatcher, type IngestHandler } from './dispatcher.ts';
import type { IngestRun } from './ingest-run.job.ts';
import { runKeyOf, TenantLanes } from './tenant-lanes.ts';
import { rememberTrace, runTraced } from './traced-job.ts';

/**
 * The dispatcher of embedded mode: a queue in memory, one lane per tenant, served round-robin so
 * that one tenant's many runs do not starve another tenant.
 */
export class InProcessDispatcher extends Dispatcher {
  readonly #waiting = new TenantLanes();
  readonly #running = new Map<string, { again: IngestRun | null }>();
  readonly #groupMs: number;
  readonly #onError: (error: unknown, job: IngestRun) => void;
  /**
   * Runs whose last job was less than `groupMs` ago. New offers wait until that time has passed.
   */
  readonly #resting = new Map<string, { timer: NodeJS.Timeout; offered: IngestRun | null }>();
  #handler: IngestHandler | null = null;
  #concurrency = 0;
  #closing = false;
  #whenQuiet: (() => void)[] = [];

  /** `groupMs` is the minimum time between two jobs of a run if there was little to do. */
  constructor(groupMs: number, onError: (error: unknown, job: IngestRun) => void) {
    super();
    this.#groupMs = groupMs;
    this.#onError = onError;
  }

  override offer(job: IngestRun): void {
    if (this.#closing) return;
    rememberTrace(job);
    const key = runKeyOf(job);
    const running = this.#running.get(key);
    if (running) {
      running.again = job;
      return;
    }
    const resting = this.#resting.get(key);
    if (resting) {
      resting.offered = job;
      return;
    }
    this.#waiting.add(job);
    this.#fill();
  }

  override start(handler: IngestHandler, concurrency: number): void {
    this.#handler = handler;
    this.#concurrency = concurrency;
    this.#fill();
  }

  override async close(): Promise<void> {
    this.#closing = true;
    this.#waiting.clear();
    for (const { timer } of this.#resting.values()) clearTimeout(timer);
    this.#resting.clear();
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#whenQuiet.push(resolve));
  }

  #fill(): void {
    while (this.#handler && this.#running.size < this.#concurrency) {
      const job = this.#waiting.take();
      if (!job) return;
      const handler = this.#handler;
      void runForService(() => this.#run(handler, job)); // not charged to the request that offered it
    }
  }

  async #run(handler: IngestHandler, job: IngestRun): Promise<void> {
    const key = runKeyOf(job);
    const state: { again: IngestRun | null } = { again: null };
    this.#running.set(key, state);
    let outcome: string = 'busy';
    try {
      outcome = await runTraced(handler, job);
    } catch (error) {
      this.#onError(error, job);
    }
    this.#running.delete(key);
    if (outcome === 'more') this.offer(job);
    else if (outcome === 'little') this.#rest(key, state.again);
    else if (outcome === 'idle' && state.again) this.offer(state.again);
    this.#fill();
    if (this.#running.size === 0) {
      for (const resolve of this.#whenQuiet.splice(0)) resolve();
    }
  }

  /** Delays a run that had little to do, so that a live run's small commits are grouped. */
  #rest(key: string, offered: IngestRun | null): void {
    if (this.#closing) return;
    if (this.#groupMs === 0) {
      if (offered) this.offer(offered);
      return;
    }
    const timer = setTimeout(() => {
      const rested = this.#resting.get(key);
      this.#resting.delete(key);
      if (rested?.offered) this.offer(rested.offered);
    }, this.#groupMs);
    this.#resting.set(key, { timer, offered });
  }
}
