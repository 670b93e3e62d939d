import { setTimeout as sleep } from 'node:timers/promises';
import { Dispatcher, type IngestHandler } from './dispatcher.ts';
import { type IngestOutcome, type IngestRun, ingestRunJob } from './ingest-run.job.ts';
import type { QueueWorker } from './queue-worker.ts';
import type { QueueNames, RunQueue } from './run-queue.ts';
import { runKeyOf, TenantLanes } from './tenant-lanes.ts';

/** Settings of a {@link BullMqDispatcher}; those with a default need not be given. */
export interface BullMqDispatcherOptions {
  readonly redisUrl: string;
  /** The least time between two jobs of a run that had little to do. */
  readonly groupMs: number;
  /** Told of what handlers throw (with the job), and of Redis, once an outage (without). */
  readonly onError: (error: unknown, job: IngestRun | null) => void;
  /** Name of the queue; all processes of a service use the same. */
  readonly name?: string;
  /** A job whose process has not been heard of for this long is given to another. */
  readonly lockMs?: number;
  /** Work waits, this process is free and takes none for so long: the worker is replaced. */
  readonly stuckMs?: number;
  /** The end of closing may wait so long for Redis. */
  readonly closeMs?: number;
}

/** What a {@link BullMqDispatcher} has done since its start. */
export interface DispatcherCounts {
  /** Calls of `offer`. */
  offered: number;
  /** Offers that came into the queue, or were there. */
  queued: number;
  /** Offers that came to nothing: Redis was away, refused, or too many waited. The sweeper makes them again. */
  lost: number;
  started: number;
  failed: number;
  /** Workers that were replaced because they took no work. */
  replaced: number;
}

/** Offers that wait in this process for Redis; more are dropped. */
const maxUnsent = 10_000;
/** Offers that are on their way to Redis at once. */
const maxSending = 64;

/**
 * The dispatcher between processes: hints go through a BullMQ queue on Redis, one job a run. Those who acknowledge only offer, those who
 * ingest also start. Redis may be away, or lose everything, at any moment: then hints are lost, and the sweeper makes them again.
 */
export class BullMqDispatcher extends Dispatcher {
  readonly #options: Required<BullMqDispatcherOptions>;
  readonly #names: QueueNames;
  readonly #unsent = new TenantLanes();
  readonly #running = new Map<string, { again: boolean }>();
  readonly #counts: DispatcherCounts = { offered: 0, queued: 0, lost: 0, started: 0, failed: 0, replaced: 0 };
  readonly #opened: Promise<void>;
  #queue: RunQueue | null = null;
  #worker: QueueWorker | null = null;
  #makeWorker: (() => QueueWorker) | null = null;
  #handler: IngestHandler | null = null;
  #concurrency = 0;
  #sending = 0;
  #closing = false;
  #outage = false;
  #whenQuiet: (() => void)[] = [];

  constructor(options: BullMqDispatcherOptions) {
    super();
    this.#options = { name: 'ingest-run', lockMs: 5_000, stuckMs: 10_000, closeMs: 3_000, ...options };
    this.#names = { prefix: '{plotline}', queue: this.#options.name };
    this.#opened = this.#open();
    this.#opened.catch((error: unknown) => this.#options.onError(error, null));
  }

  get counts(): Readonly<DispatcherCounts> {
    return this.#counts;
  }

  override offer(job: IngestRun): void {
    if (this.#closing) return;
    this.#counts.offered++;
    if (this.#unsent.size >= maxUnsent) this.#counts.lost++;
    else this.#unsent.add(job);
    this.#send();
  }

  override start(handler: IngestHandler, concurrency: number): void {
    this.#handler = handler;
    this.#concurrency = concurrency;
    this.#work();
  }

  override async close(): Promise<void> {
    this.#closing = true;
    this.#unsent.clear();
    const worker = this.#worker?.close();
    worker?.catch(() => undefined); // may be after the deadline
    if (this.#running.size > 0) await new Promise<void>((resolve) => this.#whenQuiet.push(resolve));
    const patience = new AbortController();
    await Promise.race([worker, sleep(this.#options.closeMs, undefined, { signal: patience.signal }).catch(() => undefined)]);
    patience.abort();
    this.#worker?.abandon();
    this.#queue?.close();
  }

  /** BullMQ is loaded here and not with this file, so that processes without Redis do not carry it. */
  async #open(): Promise<void> {
    const [{ RunQueue }, { QueueWorker }] = await Promise.all([import('./run-queue.ts'), import('./queue-worker.ts')]);
    if (this.#closing) return;
    const { redisUrl, lockMs } = this.#options;
    this.#queue = new RunQueue(
      redisUrl,
      this.#names,
      () => {
        this.#outage = false;
        this.#send();
      },
      (error) => this.#report(error),
    );
    this.#makeWorker = () =>
      new QueueWorker(redisUrl, this.#names, {
        concurrency: this.#concurrency,
        lockMs,
        process: (data) => this.#process(data),
        settled: (data, outcome) => void this.#settle(data, outcome as IngestOutcome),
        onError: (error) => this.#report(error),
      });
    this.#work();
  }

  #work(): void {
    if (!this.#closing && this.#handler && this.#makeWorker) this.#worker ??= this.#makeWorker();
  }

  #send(): void {
    while (this.#queue?.isReady && this.#sending < maxSending) {
      const job = this.#unsent.take();
      if (!job) return;
      this.#sending++;
      this.#queue
        .put(job)
        .then(
          () => this.#counts.queued++,
          (error: unknown) => {
            this.#counts.lost++;
            this.#report(error);
          },
        )
        .finally(() => {
          this.#sending--;
          this.#send();
        });
    }
  }

  /** Does one job. What BullMQ gave is checked: others may write to that Redis. */
  async #process(data: unknown): Promise<IngestOutcome> {
    const parsed = ingestRunJob.payload.safeParse(data);
    if (!parsed.success || !this.#handler) {
      this.#options.onError(new Error('the queue holds a job that is none of ours', { cause: parsed.error }), null);
      return 'busy';
    }
    const job = parsed.data;
    const key = runKeyOf(job);
    const earlier = this.#running.get(key);
    if (earlier) {
      // Its lock had lapsed while Redis was away, so the queue gave it out once more.
      earlier.again = true;
      return 'busy';
    }
    const state = { again: false };
    this.#running.set(key, state);
    this.#counts.started++;
    let outcome: IngestOutcome = 'busy';
    try {
      outcome = await this.#handler(job);
    } catch (error) {
      this.#counts.failed++;
      this.#options.onError(error, job);
    }
    this.#running.delete(key);
    if (this.#running.size === 0) for (const resolve of this.#whenQuiet.splice(0)) resolve();
    if (outcome === 'little' && this.#options.groupMs > 0) {
      await this.#queue?.rest(job, this.#options.groupMs).catch((error: unknown) => this.#report(error));
    }
    return state.again && outcome !== 'busy' ? 'more' : outcome;
  }

  async #settle(data: unknown, outcome: IngestOutcome): Promise<void> {
    const job = ingestRunJob.payload.safeParse(data).data;
    if (!job) return;
    try {
      const again = await this.#queue?.takeAgain(job);
      if (outcome === 'more' || (again && outcome !== 'busy')) this.offer(job);
    } catch (error) {
      this.#report(error);
    }
  }

  /** Tells of the first failure of an outage: each attempt to connect fails in the same way. */
  #report(error: unknown): void {
    if (this.#outage || this.#closing) return;
    this.#outage = true;
    this.#options.onError(error, null);
  }
}
