import { setTimeout as sleep } from 'node:timers/promises';
import { Dispatcher, type IngestHandler } from './dispatcher.ts';
import { type IngestOutcome, type IngestRun, ingestRunJob } from './ingest-run.job.ts';
import { QueueAbsence } from './queue-absence.ts';
import { type OutboxCounts, QueueOutbox } from './queue-outbox.ts';
import type { QueueWorker } from './queue-worker.ts';
import type { RunQueue } from './run-queue.ts';
import { runKeyOf, TenantLanes } from './tenant-lanes.ts';

/** Settings of a {@link BullMqDispatcher}. */
export interface BullMqDispatcherOptions {
  readonly redisUrl: string;
  /** The least time between two jobs of a run that had little to do. */
  readonly groupMs: number;
  /** Told of what handlers throw, with the job; and of Redis, once an outage, without one. */
  readonly onError: (error: unknown, job: IngestRun | null) => void;
  /** Name of the queue, the same in all processes of a service. */
  readonly name?: string;
  /** A job whose process has not been heard of for this long is given to another; as that is harmless, it is short. */
  readonly lockMs?: number;
  /** Work waits, this process is free and takes none for this long: its worker is replaced. */
  readonly stuckMs?: number;
  /** Redis is away for this long: what is offered is done by this process itself, until a connection has lasted as long. */
  readonly awayMs?: number;
  /** When the running jobs are done, closing waits for Redis this long. */
  readonly closeMs?: number;
}

/** What a {@link BullMqDispatcher} has done since its start. */
export interface DispatcherCounts extends OutboxCounts {
  /** Jobs that were handed to the handler. */
  started: number;
  /** Of those, jobs that this process did alone, without the queue, because Redis was away or refused them. */
  alone: number;
  /** Jobs whose handler threw. */
  failed: number;
  /** How often the queue did not know a job of this process any more: it was wiped, or took the job for abandoned. */
  lapsed: number;
  /** Workers that were replaced because they took no work. */
  replaced: number;
}

/** With BullMQ's looks at half of it, the run of a process that was killed goes on within one and a half `lockMs`. */
const defaults = { name: 'ingest-run', lockMs: 2_000, stuckMs: 10_000, awayMs: 1_000, closeMs: 3_000 };
/** Redis refused something less than this ago: what is in the queue may not come out. A worker tries every second. */
const refusedMs = 3_000;
/** Jobs that wait for being done alone: of one tenant, so that the sweep comes to the others; and of all, but for one of each. About 200 bytes each; the ledger holds what is more. */
const maxAlone = { tenant: 1_000, all: 10_000 };
/** In braces, so that all keys are in one slot of a Redis Cluster. */
const prefix = '{plotline}';

/**
 * The dispatcher between processes: hints go through a BullMQ queue on Redis, one job a run. Those who acknowledge only offer, those who
 * ingest also start. Redis may be away, refuse writes, or lose everything, at any moment: hints are lost then, and the sweeper makes them again.
 * What it offers while there is no Redis is done by the process in which it sweeps (see docs/adr/0028-ingest-without-redis.md).
 */
export class BullMqDispatcher extends Dispatcher {
  readonly #options: Required<BullMqDispatcherOptions>;
  readonly #counts: DispatcherCounts = { offered: 0, queued: 0, lost: 0, started: 0, alone: 0, failed: 0, lapsed: 0, replaced: 0 };
  readonly #outbox: QueueOutbox;
  readonly #running = new Map<string, { again: boolean }>();
  /** What this process does alone, without the queue. */
  readonly #alone = new TenantLanes();
  #queue: RunQueue | null = null;
  #makeWorker: (() => QueueWorker<IngestOutcome>) | null = null;
  #worker: QueueWorker<IngestOutcome> | null = null;
  #handler: IngestHandler | null = null;
  #concurrency = 0;
  #watch: NodeJS.Timeout | null = null;
  readonly #absence: QueueAbsence;
  #absenceTimer: NodeJS.Timeout | null = null;
  /** A failure was told that has not ended. */
  #outage = false;
  #closing: Promise<void> | null = null;
  /** Told of the next end of a job. */
  readonly #whenEnded: (() => void)[] = [];

  constructor(options: BullMqDispatcherOptions) {
    super();
    this.#options = { ...defaults, ...options };
    this.#absence = new QueueAbsence({ awayMs: this.#options.awayMs, refusedMs });
    this.#outbox = new QueueOutbox(
      {
        isReady: () => this.#queue?.isReady() ?? false,
        put: async (job) => {
          const admission = await this.#queue!.put(job);
          this.#works();
          if (!this.#absence.isAway()) this.#handBack();
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

  override offer(job: IngestRun): void {
    if (this.#closing) return;
    if (!this.#queue?.isReady()) this.#absence.disconnected();
    if (this.#handler && this.#absence.isAway()) {
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
    // What cannot be taken out of the queue now is given to another process when its lock has lapsed.
    const closed = this.#worker?.close().catch(() => undefined);
    while (this.#running.size > 0) await new Promise<void>((resolve) => this.#whenEnded.push(resolve));
    const patience = new AbortController();
    await Promise.race([closed, sleep(this.#options.closeMs, undefined, { signal: patience.signal }).catch(() => undefined)]);
    patience.abort();
    this.#worker?.abandon();
    this.#queue?.close();
  }

  /** BullMQ is loaded here and not with this file, so that processes without Redis do not carry it. */
  async #open(): Promise<void> {
    const [{ RunQueue }, { QueueWorker }] = await Promise.all([import('./run-queue.ts'), import('./queue-worker.ts')]);
    if (this.#closing) return;
    const names = { prefix, queue: this.#options.name };
    const onError = (error: unknown): void => this.#report(error);
    this.#queue = new RunQueue(this.#options.redisUrl, names, {
      onReady: () => {
        this.#absence.connected();
        this.#moveWaiting();
      },
      onClose: () => {
        this.#absence.disconnected();
        this.#followAbsence();
      },
      onError,
      onFault: (fault) => this.#options.onError(fault, null), // also in the middle of an outage: it does not pass by itself
    });
    this.#makeWorker = () =>
      new QueueWorker(this.#options.redisUrl, names, {
        concurrency: this.#concurrency,
        lockMs: this.#options.lockMs,
        process: (data) => this.#process(data),
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
   * BullMQ's workers have often stopped for good after an outage, while their connections were well. So progress is what counts: while work
   * waits and this process has room for it, some of it has to start.
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

  /** Does one job. What BullMQ hands over is checked: others may write to that Redis. */
  async #process(data: unknown): Promise<IngestOutcome | null> {
    this.#works();
    const parsed = ingestRunJob.payload.safeParse(data);
    if (!parsed.success || !this.#handler) {
      this.#options.onError(new Error('the queue contains an unknown job', { cause: parsed.error }), null);
      return 'busy';
    }
    const job = parsed.data;
    const key = runKeyOf(job);
    for (;;) {
      if (this.#closing) return null; // it was on its way when closing began
      const earlier = this.#running.get(key);
      if (earlier) {
        earlier.again = true; // the queue lost sight of that job, and gave its run out once more
        return 'busy';
      }
      if (this.#running.size < this.#concurrency) break;
      // A worker that was replaced has left jobs running, and the new one takes as many again.
      await new Promise<void>((resolve) => this.#whenEnded.push(resolve));
    }
    return this.#do(job, this.#handler);
  }

  /** Does one job, for which there is room, and whose run is not under way. What was offered of it meanwhile is offered again. */
  async #do(job: IngestRun, handler: IngestHandler): Promise<IngestOutcome> {
    const key = runKeyOf(job);
    const state = { again: false };
    this.#running.set(key, state);
    this.#counts.started++;
    let outcome: IngestOutcome = 'busy';
    try {
      outcome = await handler(job);
    } catch (error) {
      this.#counts.failed++;
      this.#options.onError(error, job);
    }
    this.#running.delete(key);
    for (const resolve of this.#whenEnded.splice(0)) resolve();
    queueMicrotask(() => this.#workAlone()); // those whom the queue gave their job earlier go first
    if (outcome === 'little' && this.#options.groupMs > 0) {
      await this.#queue?.rest(job, this.#options.groupMs).catch((error: unknown) => this.#report(error));
    }
    if (state.again && outcome !== 'busy') this.offer(job);
    return outcome;
  }

  /** Redis goes and comes without anybody offering anything. */
  #followAbsence(): void {
    const left = this.#absence.leftMs();
    if (left === null || this.#absenceTimer || this.#closing) return;
    this.#absenceTimer = setTimeout(() => {
      this.#absenceTimer = null;
      this.#moveWaiting(); // which looks again where this was early by a part of a millisecond
    }, Math.ceil(left));
  }

  /** What waits is moved to where it is done: into the queue, all processes taking their share; or to this process. */
  #moveWaiting(): void {
    this.#works();
    if (!this.#absence.isAway()) {
      this.#outbox.send();
      if (!this.#absence.isUnsteady()) this.#handBack();
    } else if (this.#handler) {
      for (const job of this.#outbox.takeUnsent()) if (!this.#addAlone(job)) this.#counts.lost++;
    }
    this.#followAbsence();
  }

  /** Whether the job is done here, now or in its tenant's turn. */
  #addAlone(job: IngestRun): boolean {
    if (this.#closing) return false;
    const ofTenant = this.#alone.sizeOf(job.tenantId);
    if (ofTenant >= maxAlone.tenant || (ofTenant > 0 && this.#alone.size >= maxAlone.all)) return false;
    this.#alone.add(job);
    this.#workAlone();
    return true;
  }

  /** Does what is to be done without the queue, tenants in turn, as long as there is room. Another process may take the same run: the ledger decides. */
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

  /** To the queue, which takes jobs again. */
  #handBack(): void {
    for (let job = this.#alone.take(); job; job = this.#alone.take()) this.#outbox.add(job);
  }

  /** The job is out of the queue: offers find nothing of it any more, so what was offered while it ran is offered again now. */
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

  /** Something that uses Redis has gone well. The outage is over when nothing is left that would fail. */
  #works(): void {
    if (this.#absence.isUnsteady() || this.#absence.isRefusing()) return;
    if (this.#queue?.isReady() && (this.#worker?.isReady() ?? true)) this.#outage = false;
  }

  /** Notes a refusal, and tells of the first failure of an outage: every attempt after it fails in the same way. */
  #report(error: unknown): void {
    if (error instanceof Error && error.name === 'ReplyError') this.#absence.refused();
    if (this.#outage || this.#closing) return;
    this.#outage = true;
    this.#options.onError(error, null);
  }
}
