import { Worker } from 'node:worker_threads';
import type { BlobStoreOptions } from '#blobs';
import type { Secret } from '#config/secrets';
import type { IngestOutcome, IngestRun } from '#jobs';
import { Problem, problemCodes, type TenantId } from '#model';
import type { FileToJoin, WaitingCitation, WaitingDeletion, WaitingExport } from '#store';
import { activeSpan, count, inBrief, isTracing, type ObjectStoreAttempt, observeObjectStore, type Step } from '#telemetry';
import type { OrphanCount } from './deletion/collect-orphans.ts';
import { IngestFailure, type LostBytes, type RecordPlace, type WitnessedRecords } from './ingest-run/ingest-failure.ts';
import type { Committed, IngestDone } from './ingest-run/ingest-run.ts';
import type { IngestOptions } from './ingest-run/run-ingest.ts';
import type { RolledUp } from './roll-up/roll-up-run.ts';

/**
 * Start options of an ingest thread. Credentials are passed here instead of on the command line.
 */
export interface IngestThreadOptions {
  readonly ingestUrl: Secret;
  readonly appUrl: Secret;
  readonly blobs: BlobStoreOptions;
  readonly bounds: IngestOptions;
  /**
   * In embedded mode, the same process serves requests. If it also runs its own database, the
   * backends for requests compete with those of the threads. Threads then lower their priority, and
   * the priority of their backends if we may act for the backends' user.
   */
  readonly stepBack: 'no' | 'threads' | 'threads-and-backends';
}

/**
 * From pool to thread: ingest a run, roll up its series, join all segments of a complete file or
 * short segments of a growing file, run a deletion, collect orphaned objects older than `graceMs`,
 * write an export, remove a workspace's expired exports, or compute the digest of a citation.
 */
export type IngestThreadRequest =
  | { readonly job: IngestRun }
  | { readonly rollUp: IngestRun }
  | { readonly join: FileToJoin }
  | { readonly joinSegments: FileToJoin }
  | { readonly deletion: WaitingDeletion }
  | { readonly collect: { readonly graceMs: number } }
  | { readonly export: WaitingExport; readonly keepMs: number }
  | { readonly removeExports: TenantId }
  | { readonly citation: WaitingCitation };

/** From thread to pool: one reply per request. */
export type IngestThreadReply =
  | { readonly outcome: IngestOutcome; readonly committed: Committed | null }
  | { readonly rolledUp: RolledUp }
  | { readonly orphans: OrphanCount }
  | { readonly failure: ThreadFailure; readonly witnessed: WitnessedRecords; readonly lost: readonly LostBytes[] };

/** From thread to pool, at any time: an object store limitation that is not a failure. */
export interface IngestThreadWarning {
  readonly warning: string;
}

/**
 * From thread to pool while it ingests a batch of one record: the record that it is about to read.
 * Null once the record is stored, so that the record is not blamed for later failures.
 */
export interface IngestThreadReading {
  readonly reading: RecordPlace | null;
}

/** From thread to pool, at any time: an attempt at an object store request. */
export interface IngestThreadObservation {
  readonly observed: ObjectStoreAttempt;
}

/** From thread to pool while it works on a traced request: a step that has ended. */
export interface IngestThreadStep {
  readonly step: Step;
}

/**
 * The state of a thread besides its options: whether the process records traces. Each request says
 * whether it is traced itself.
 */
export interface ThreadTracing {
  readonly traced: boolean;
}

/** A failure, as a thread sends it. */
export interface ThreadFailure {
  readonly message: string;
  readonly stack: string | null;
  /** SQLSTATE, or the system's error code. */
  readonly code: string | null;
  readonly problemCode: string | null;
  /** The cause, in words. */
  readonly cause: string | null;
}

type DoneReply = Exclude<IngestThreadReply, { failure: unknown }>;

/**
 * Restores the class of a thread's failure: a Problem, or an error with the original's SQLSTATE.
 */
function revive(failure: ThreadFailure): Error {
  const options = failure.cause === null ? {} : { cause: failure.cause };
  const code = problemCodes.find((known) => known === failure.problemCode);
  const error = code ? new Problem(code, failure.message, options) : new ThreadError(failure.message, failure.code, options);
  if (failure.stack !== null) error.stack = failure.stack; // where it happened, not where it was received
  return error;
}

class ThreadError extends Error {
  readonly code: string | null;

  constructor(message: string, code: string | null, options: ErrorOptions) {
    super(message, options);
    this.name = 'ThreadError';
    this.code = code;
  }
}

/**
 * The pool was closed while the job was running. The job did not fail: it is still pending, and
 * runs after the next start.
 */
export class IngestPoolClosed extends Error {
  override readonly name = 'IngestPoolClosed';

  constructor() {
    super('the service stops');
  }
}

/** The thread died during the job. Only what it reported before is known. */
export class IngestThreadDied extends Error {
  override readonly name = 'IngestThreadDied';
  /** The single record that it was about to read or store. Null if it reported none. */
  readonly reading: RecordPlace | null;

  constructor(message: string, reading: RecordPlace | null, options?: ErrorOptions) {
    super(reading === null ? message : `${readingText(reading)}: ${message}`, options);
    this.reading = reading;
  }
}

/**
 * The start of the message of an {@link IngestThreadDied} for a thread that died on this record.
 */
export function readingText({ fileId, offset }: RecordPlace): string {
  return `at byte ${offset} of file ${fileId}`;
}

/**
 * Parses and stores in separate threads, so that uploads and requests can continue. A thread runs
 * one job at a time. If a thread dies, it is replaced and its job fails; Postgres rolls back the
 * job's transaction.
 */
export class IngestPool {
  readonly #options: IngestThreadOptions;
  readonly #onWarning: (line: string) => void;
  /** Messages are fixed sentences, so there are only a few. */
  readonly #warned = new Set<string>();
  readonly #free: Worker[] = [];
  readonly #all = new Set<Worker>();
  #closed = false;

  /**
   * `onWarning` is called with the warnings of threads, once per distinct line, because all threads
   * use the same store.
   */
  constructor(options: IngestThreadOptions, onWarning: (line: string) => void) {
    this.#options = options;
    this.#onWarning = onWarning;
  }

  /**
   * Runs one job in a free thread, and starts a thread if none is free. The dispatcher limits how
   * many jobs run concurrently.
   */
  async run(job: IngestRun): Promise<IngestDone> {
    const reply = await this.#askFor('outcome', { job });
    if (reply.committed) {
      count('ingestRuns');
      count('ingestedPoints', reply.committed.points);
      count('ingestedBytes', reply.committed.bytes);
    }
    return reply;
  }

  /** Rolls up some of a run's series, in one short transaction. */
  async rollUp(job: IngestRun): Promise<RolledUp> {
    return (await this.#askFor('rolledUp', { rollUp: job })).rolledUp;
  }

  /** Joins the segments of a complete file into a single object. */
  async join(file: FileToJoin): Promise<void> {
    await this.#ask({ join: file });
  }

  /** Joins short segments of a growing file. */
  async joinSegments(file: FileToJoin): Promise<void> {
    await this.#ask({ joinSegments: file });
  }

  /** Runs a deletion until it is done or must wait. */
  async delete(deletion: WaitingDeletion): Promise<void> {
    await this.#ask({ deletion });
  }

  /** Writes an export. Its result is kept for `keepMs`. */
  async writeExport(job: WaitingExport, keepMs: number): Promise<void> {
    await this.#ask({ export: job, keepMs });
  }

  /** Removes a workspace's expired exports. */
  async removeExports(tenantId: TenantId): Promise<void> {
    await this.#ask({ removeExports: tenantId });
  }

  /** Computes a citation's digest. */
  async digestCitation(citation: WaitingCitation): Promise<void> {
    await this.#ask({ citation });
  }

  /** Removes objects to which no row refers. */
  async collectOrphans(graceMs: number): Promise<OrphanCount> {
    return (await this.#askFor('orphans', { collect: { graceMs } })).orphans;
  }

  /** Asks for a reply with this member. Throws if a thread sends another reply. */
  async #askFor<Member extends 'outcome' | 'rolledUp' | 'orphans'>(
    member: Member,
    request: IngestThreadRequest,
  ): Promise<Extract<DoneReply, Readonly<Record<Member, unknown>>>> {
    const reply = await this.#ask(request);
    if (!(member in reply)) throw new Error(`An ingest thread replied with ${Object.keys(reply).join(', ')} instead of ${member}.`);
    return reply as Extract<DoneReply, Readonly<Record<Member, unknown>>>;
  }

  #ask(request: IngestThreadRequest): Promise<DoneReply> {
    if (this.#closed) return Promise.reject(new IngestPoolClosed());
    const worker = this.#free.pop() ?? this.#start();
    const span = activeSpan();
    return new Promise((resolve, reject) => {
      let reading: RecordPlace | null = null;
      let died: { readonly error: unknown } | null = null;
      const finish = (settle: () => void): void => {
        worker.off('message', onMessage);
        worker.off('exit', onExit);
        worker.off('error', onError);
        settle();
      };
      const onMessage = (
        reply: IngestThreadReply | IngestThreadWarning | IngestThreadReading | IngestThreadObservation | IngestThreadStep,
      ): void => {
        if ('step' in reply) return span?.addStep(reply.step);
        if ('warning' in reply || 'observed' in reply) return; // not a reply: see #start
        if ('reading' in reply) {
          reading = reply.reading;
          return;
        }
        finish(() => {
          this.#free.push(worker);
          if ('failure' in reply) reject(new IngestFailure(revive(reply.failure), reply.witnessed, reply.lost));
          else resolve(reply);
        });
      };
      // The 'exit' event follows, after any earlier messages.
      const onError = (error: unknown): void => {
        died = { error };
      };
      const onExit = (code: number): void =>
        finish(() => {
          if (died) reject(new IngestThreadDied(`the ingest thread died: ${inBrief(died.error)}`, reading, { cause: died.error }));
          else reject(this.#closed ? new IngestPoolClosed() : new IngestThreadDied(`the ingest thread ended with code ${code}`, reading));
        });
      worker.on('message', onMessage);
      worker.on('error', onError);
      worker.on('exit', onExit);
      worker.postMessage(span ? { ...request, traced: true } : request);
    });
  }

  /** Starts `threads` threads ahead of the first job. */
  warmUp(threads: number): void {
    while (this.#all.size < threads) this.#free.push(this.#start());
  }

  /**
   * Ends all threads and abandons running jobs. Postgres rolls back their transactions, and
   * unfinished objects are not created.
   */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #start(): Worker {
    // In the source tree, Node runs this file directly. In the build, it is one self-contained file
    // next to `apps` and `libs`.
    const file = import.meta.url.endsWith('.ts') ? './ingest-thread.ts' : '../../../threads/ingest-thread.js';
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: { ...this.#options, traced: isTracing() } satisfies IngestThreadOptions & ThreadTracing,
      // Segments and batches take megabytes outside the heap, which only a garbage collection
      // frees. With the default size, collections are rare, which needs 100 MiB more for the same
      // speed (measured).
      resourceLimits: { maxYoungGenerationSizeMb: 24 },
    });
    this.#all.add(worker);
    worker.on('error', () => undefined); // also reported to its job; without a listener, it would end the process
    worker.on('message', (message: IngestThreadReply | IngestThreadWarning | IngestThreadReading | IngestThreadObservation) => {
      if ('warning' in message) this.#warn(message.warning);
      else if ('observed' in message) observeObjectStore(message.observed, 'in-thread');
    });
    worker.on('exit', () => {
      this.#all.delete(worker);
      const at = this.#free.indexOf(worker);
      if (at >= 0) this.#free.splice(at, 1);
    });
    return worker;
  }

  #warn(line: string): void {
    if (this.#warned.has(line)) return;
    this.#warned.add(line);
    this.#onWarning(line);
  }
}
