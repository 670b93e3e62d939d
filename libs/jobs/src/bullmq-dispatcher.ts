import { setTimeout as sleep } from 'node:timers/promises';
import { Dispatcher, type IngestHandler } from './dispatcher.ts';
import { type IngestOutcome, type IngestRun, ingestRunJob } from './ingest-run.job.ts';
import { QueueAbsence } from './queue-absence.ts';
import { type OutboxCounts, QueueOutbox } from './queue-outbox.ts';
import type { QueueWorker } from './queue-worker.ts';
import type { RedisAddress } from './redis-address.ts';
import type { RunQueue } from './run-queue.ts';
import { runKeyOf, TenantLanes } from './tenant-lanes.ts';
import { rememberTrace, runTraced, setTrace } from './traced-job.ts';

/** Options for a {@link BullMqDispatcher}. */
export interface BullMqDispatcherOptions {
  readonly redis: RedisAddress;
  /** Minimum time between two jobs of a run if there was little to do. */
  readonly groupMs: number;
  /**
   * Called with handler errors and their job, and with Redis errors, once per outage, without a
   * job.
   */
  readonly onError: (error: unknown, job: IngestRun | null) => void;
  /** The queue's name, the same in all processes of a service. */
  readonly name?: string;
  /**
   * If a process is silent for this long, its job is given to another process. This is harmless, so
   * the time is short.
   */
  readonly lockMs?: number;
  /**
   * If work is waiting and this process is free but claims none for this long, its worker is
   * replaced.
   */
  readonly stuckMs?: number;
  /**
   * If Redis is down for this long, this process itself runs the jobs offered to it until a
   * connection has lasted equally long.
   */
  readonly downMs?: number;
  /** How long `close` waits for Redis after the running jobs are done. */
  readonly closeMs?: number;
}

/** Counters of a {@link BullMqDispatcher} since its start. */
export interface DispatcherCounts extends OutboxCounts {
  /** Jobs passed to the handler. */
  started: number;
  /**
   * Jobs that this process ran alone, without the queue, because Redis was down or rejected them.
   */
  alone: number;
  /** Jobs whose handler threw. */
  failed: number;
  /**
   * How often the queue did not recognize a job of this process, because the queue was wiped or
   * considered the job stalled.
   */
  lapsed: number;
  /** Workers that were replaced because they claimed no work. */
  replaced: number;
}

/**
 * BullMQ checks at half of this interval, so the run of a killed process continues within one and a
 * half `lockMs`.
 */
const defaults = { name: 'ingest-run', lockMs: 2_000, stuckMs: 10_000, downMs: 1_000, closeMs: 3_000 };
/**
 * If Redis rejected a command within this time, jobs in the queue may be stuck. A worker retries
 * every second.
 */
const rejectedMs = 3_000;
/**
 * Limits on jobs that wait to run alone: per tenant, so that the sweep reaches other tenants, and
 * in total (plus one job per tenant). A job takes about 200 bytes; everything else is in the
 * ledger.
 */
const maxAlone = { tenant: 1_000, all: 10_000 };
/** The braces keep all keys in one slot of a Redis Cluster. */
const prefix = '{plotline}';

/**
 * The dispatcher between processes: hints go through a BullMQ queue on Redis, one job per run.
 * Processes that only acknowledge bytes offer jobs; processes that ingest also start them. Redis
 * may be down, reject writes, or lose everything at any moment. Hints are then lost, and the
 * sweeper offers the runs again. Without Redis, the sweeping process runs its own offers (see
 * docs/adr/0028-ingest-without-redis.md).
 *
 * Where a job goes depends on the connection ({@link QueueAbsence}):
 *
 * ```
 *   queue ──────────────────▶ unsteady ──────────────▶ alone
 *         connection ends              downMs pass
 *   queue ◀────────────────── unsteady
 *         connection has lasted downMs
 *   queue ───────────────────────────────────────────▶ alone
 *         Redis rejects a command
 *   queue ◀─────────────────────────────────────────── alone
 *         connection has lasted downMs, no rejection for rejectedMs
 * ```
 *
 * - queue: jobs go to Redis, and jobs that wait to run alone return to it.
 * - unsteady: new jobs stay in the outbox until Redis accepts them.
 * - alone: a process that ingests runs its new jobs itself, including those in its outbox. Other
 *   processes keep jobs in the outbox.
 */
export class BullMqDispatcher extends Dispatcher {
  readonly #options: Required<BullMqDispatcherOptions>;
  readonly #counts: DispatcherCounts = { offered: 0, queued: 0, lost: 0, started: 0, alone: 0, failed: 0, lapsed: 0, replaced: 0 };
  readonly #outbox: QueueOutbox;
  readonly #running = new Map<string, { again: boolean }>();
  /** Jobs that this process runs alone, without the queue. */
  readonly #alone = new TenantLanes();
  #queue: RunQueue | null = null;
  #makeWorker: (() => QueueWorker<IngestOutcome>) | null = null;
  #worker: QueueWorker<IngestOutcome> | null = null;
  #handler: IngestHandler | null = null;
  #concurrency = 0;
  #watch: NodeJS.Timeout | null = null;
  readonly #absence: QueueAbsence;
  #absenceTimer: NodeJS.Timeout | null = null;
  /** Whether an outage was reported and has not ended. */
  #outage = false;
  #closing: Promise<void> | null = null;
  /** Called when the next job ends. */
  readonly #whenEnded: (() => void)[] = [];

  constructor(options: BullMqDispatcherOptions) {
    super();
    this.#options = { ...defaults, ...options };
    this.#absence = new QueueAbsence({ downMs: this.#options.downMs, rejectedMs });
    this.#outbox = new QueueOutbox(
      {
        isReady: () => this.#queue?.isReady() ?? false,
        put: async (job) => {
          const admission = await this.#queue!.put(job);
          this.#works();
          if (!this.#absence.isDown()) this.#handBack();
          return admission;
        },
      },
      this.#counts,
      (job, error) => {
        this.#report(error);
        return this.#handler !== null && this.#addAlone(job);
      },
    );
    this.#open().catch((error: unknown) => this.#options.onError(error, null));
  }

  get counts(): Readonly<DispatcherCounts> {
    return this.#counts;
  }

  /** Whether Redis is down or rejects commands, so that this process works without the queue. */
  get isDown(): boolean {
    return this.#absence.isDown();
  }

  override offer(job: IngestRun): void {
    if (this.#closing) return;
    rememberTrace(job);
    if (!this.#queue?.isReady()) this.#absence.disconnected();
    if (this.#handler && this.#absence.isDown()) {
      if (!this.#addAlone(job)) this.#counts.lost++;
    } else this.#outbox.add(job);
    this.#followAbsence();
  }

  override start(handler: IngestHandler, concurrency: number): void {
    this.#handler = handler;
    this.#concurrency = concurrency;
    this.#work();
  }

  override close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#outbox.close();
    this.#alone.clear();
    if (this.#absenceTimer) clearTimeout(this.#absenceTimer);
    if (this.#watch) clearInterval(this.#watch);
    // If jobs cannot be removed from the queue now, another process gets them when their locks
    // expire.
    const closed = this.#worker?.close().catch(() => undefined);
    while (this.#running.size > 0) await new Promise<void>((resolve) => this.#whenEnded.push(resolve));
    const timeout = new AbortController();
    await Promise.race([closed, sleep(this.#options.closeMs, undefined, { signal: timeout.signal }).catch(() => undefined)]);
    timeout.abort();
    this.#worker?.abandon();
    this.#queue?.close();
  }

  /**
   * Loads BullMQ here rather than with this file, so that processes without Redis never load it.
   */
  async #open(): Promise<void> {
    const [{ RunQueue }, { QueueWorker }] = await Promise.all([import('./run-queue.ts'), import('./queue-worker.ts')]);
    if (this.#closing) return;
    const names = { prefix, queue: this.#options.name };
    const onError = (error: unknown): void => this.#report(error);
    this.#queue = new RunQueue(this.#options.redis, names, {
      onReady: () => {
        this.#absence.connected();
        this.#moveWaiting();
      },
      onClose: () => {
        this.#absence.disconnected();
        this.#followAbsence();
      },
      onError,
      onFault: (fault) => this.#options.onError(fault, null), // even during an outage: it does not resolve by itself
    });
    this.#makeWorker = () =>
      new QueueWorker(this.#options.redis, names, {
        concurrency: this.#concurrency,
        lockMs: this.#options.lockMs,
        process: (data, trace) => this.#process(data, trace),
        settled: (data, priority, outcome) => void this.#settle(data, priority, outcome),
        lapsed: () => this.#counts.lapsed++,
        onReady: () => this.#works(),
        onError,
      });
    this.#work();
  }

  #work(): void {
    if (this.#closing || this.#worker || !this.#handler || !this.#makeWorker) return;
    this.#worker = this.#makeWorker();
    this.#watchProgress();
  }

  /**
   * After an outage, BullMQ's workers have often stopped permanently although their connections
   * were fine. So this process watches for progress: while work is waiting and there is capacity,
   * some of the work must start.
   */
  #watchProgress(): void {
    let started = this.#counts.started;
    let idleLooks = 0;
    const looks = 4;
    const look = async (): Promise<void> => {
      const hasRoom = this.#running.size < this.#concurrency;
      const hasStarted = this.#counts.started > started;
      started = this.#counts.started;
      const waits = hasRoom && !hasStarted && this.#queue?.isReady() && (await this.#queue.countWaiting()) > 0;
      idleLooks = waits ? idleLooks + 1 : 0;
      if (idleLooks <= looks || this.#closing || !this.#makeWorker) return;
      idleLooks = 0;
      this.#counts.replaced++;
      this.#worker?.abandon();
      this.#worker = this.#makeWorker();
    };
    this.#watch = setInterval(() => void look().catch((error: unknown) => this.#report(error)), this.#options.stuckMs / looks);
  }

  /** Runs one job. Data from BullMQ is validated, because others may write to that Redis. */
  async #process(data: unknown, trace: unknown): Promise<IngestOutcome | null> {
    this.#works();
    const parsed = ingestRunJob.payload.safeParse(data);
    if (!parsed.success || !this.#handler) {
      this.#options.onError(new Error('the queue contains an unknown job', { cause: parsed.error }), null);
      return 'busy';
    }
    const job = parsed.data;
    setTrace(job, trace);
    const key = runKeyOf(job);
    for (;;) {
      if (this.#closing) return null; // it was in transit when closing began
      const earlier = this.#running.get(key);
      if (earlier) {
        earlier.again = true; // the queue lost track of that job, and delivered its run again
        return 'busy';
      }
      if (this.#running.size < this.#concurrency) break;
      // A replaced worker leaves its jobs running, while the new worker also claims jobs up to the
      // limit.
      await new Promise<void>((resolve) => this.#whenEnded.push(resolve));
    }
    return this.#do(job, this.#handler);
  }

  /**
   * Runs one job. There must be capacity, and this process must not be running the job's run
   * already. Offers of the run that arrive in the meantime are repeated afterward.
   */
  async #do(job: IngestRun, handler: IngestHandler): Promise<IngestOutcome> {
    const key = runKeyOf(job);
    const state = { again: false };
    this.#running.set(key, state);
    this.#counts.started++;
    let outcome: IngestOutcome = 'busy';
    try {
      outcome = await runTraced(handler, job);
    } catch (error) {
      this.#counts.failed++;
      this.#options.onError(error, job);
    }
    this.#running.delete(key);
    for (const resolve of this.#whenEnded.splice(0)) resolve();
    queueMicrotask(() => this.#workAlone()); // jobs that the queue delivered earlier go first
    if (outcome === 'little' && this.#options.groupMs > 0) {
      await this.#queue?.rest(job, this.#options.groupMs).catch((error: unknown) => this.#report(error));
    }
    if (state.again && outcome !== 'busy') this.offer(job);
    return outcome;
  }

  /** Redis can go down and come back up even if nothing is offered. */
  #followAbsence(): void {
    const left = this.#absence.leftMs();
    if (left === null || this.#absenceTimer || this.#closing) return;
    this.#absenceTimer = setTimeout(() => {
      this.#absenceTimer = null;
      this.#moveWaiting(); // which checks again if this was early by a fraction of a millisecond
    }, Math.ceil(left));
  }

  /**
   * Moves waiting jobs to where they can run: to the queue, for all processes, or to this process.
   */
  #moveWaiting(): void {
    this.#works();
    if (!this.#absence.isDown()) {
      this.#outbox.send();
      if (!this.#absence.isUnsteady()) this.#handBack();
    } else if (this.#handler) {
      for (const job of this.#outbox.takeUnsent()) if (!this.#addAlone(job)) this.#counts.lost++;
    }
    this.#followAbsence();
  }

  /** Whether this process runs the job, either now or when its tenant is next. */
  #addAlone(job: IngestRun): boolean {
    if (this.#closing) return false;
    const ofTenant = this.#alone.sizeOf(job.tenantId);
    if (ofTenant >= maxAlone.tenant || (ofTenant > 0 && this.#alone.size >= maxAlone.all)) return false;
    this.#alone.add(job);
    this.#workAlone();
    return true;
  }

  /**
   * Runs jobs without the queue, alternating between tenants, as long as there is capacity. Another
   * process may claim the same run; the ledger decides which process ingests it.
   */
  #workAlone(): void {
    while (this.#handler && !this.#closing && this.#running.size < this.#concurrency) {
      const job = this.#alone.take();
      if (!job) return;
      const earlier = this.#running.get(runKeyOf(job));
      if (earlier) {
        earlier.again = true;
        continue;
      }
      this.#counts.alone++;
      void this.#do(job, this.#handler).then((outcome) => {
        if (outcome === 'more') this.offer(job);
      });
    }
  }

  /** Moves jobs to the queue once it accepts them again. */
  #handBack(): void {
    for (let job = this.#alone.take(); job; job = this.#alone.take()) this.#outbox.add(job);
  }

  /**
   * Call when the job is no longer in the queue. Offers no longer merge with it, so those that
   * arrived while it ran are repeated now.
   */
  async #settle(data: unknown, priority: number, outcome: IngestOutcome): Promise<void> {
    const job = ingestRunJob.payload.safeParse(data).data;
    if (!job) return;
    let again = false;
    try {
      again = (await this.#queue?.settle(job, priority)) ?? false;
    } catch (error) {
      this.#report(error);
    }
    if (outcome === 'more' || (again && outcome !== 'busy')) this.offer(job);
  }

  /**
   * Call when a Redis operation has succeeded. The outage is over once no operation would fail
   * anymore.
   */
  #works(): void {
    if (this.#absence.isUnsteady() || this.#absence.isRejecting()) return;
    if (this.#queue?.isReady() && (this.#worker?.isReady() ?? true)) this.#outage = false;
  }

  /**
   * Records a rejection, and reports only the first failure of an outage, because later attempts
   * fail in the same way.
   */
  #report(error: unknown): void {
    if (error instanceof Error && error.name === 'ReplyError') this.#absence.rejected();
    if (this.#outage || this.#closing) return;
    this.#outage = true;
    this.#options.onError(error, null);
  }
}
