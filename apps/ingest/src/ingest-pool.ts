import { Worker } from 'node:worker_threads';
import type { BlobStoreOptions } from '#blobs';
import type { IngestOutcome, IngestRun } from '#jobs';
import { Problem, problemCodes } from '#model';
import type { FileToJoin, WaitingDeletion } from '#store';
import { count, inBrief } from '#telemetry';
import type { OrphanCount } from './deletion/collect-orphans.ts';
import {
  type IngestDone,
  IngestFailure,
  type IngestOptions,
  type LostBytes,
  type RecordPlace,
  type Stored,
  type WitnessedRecords,
} from './ingest-run/ingest-run.ts';
import type { RolledUp } from './roll-up/roll-up-run.ts';

/** What an ingest thread is started with. Credentials come this way and not by the command line. */
export interface IngestThreadOptions {
  readonly ingestUrl: string;
  readonly appUrl: string;
  readonly blobs: BlobStoreOptions;
  readonly bounds: IngestOptions;
  /**
   * In embedded mode answers come from the same process and, where the database is its own, from backends beside those of the threads: then threads
   * step back behind them, and their backends too where we may act for their user.
   */
  readonly stepBack: 'no' | 'threads' | 'threads-and-backends';
}

/** From pool to thread: ingest a run, roll up its series, join the segments of a file, work on a deletion, or collect orphaned objects older than `graceMs`. */
export type IngestThreadRequest =
  | { readonly job: IngestRun }
  | { readonly rollUp: IngestRun }
  | { readonly join: FileToJoin }
  | { readonly deletion: WaitingDeletion }
  | { readonly collect: { readonly graceMs: number } };

/** From thread to pool, one for each request. */
export type IngestThreadReply =
  | { readonly outcome: IngestOutcome; readonly stored: Stored | null }
  | { readonly rolledUp: RolledUp }
  | { readonly orphans: OrphanCount }
  | { readonly failure: ThreadFailure; readonly witnessed: WitnessedRecords; readonly lost: readonly LostBytes[] };

/** From thread to pool, at any time: what the object store cannot do, or did not do, and is no failure. */
export interface IngestThreadWarning {
  readonly warning: string;
}

/** From thread to pool while it ingests a batch of one record: which one it is about to read; null: it is stored, so nothing that follows is its doing. */
export interface IngestThreadReading {
  readonly reading: RecordPlace | null;
}

/** A failure as it crosses from a thread. */
export interface ThreadFailure {
  readonly message: string;
  readonly stack: string | null;
  /** SQLSTATE, or the system's code. */
  readonly code: string | null;
  readonly problemCode: string | null;
  /** What caused it, in words. */
  readonly cause: string | null;
}

type DoneReply = Exclude<IngestThreadReply, { failure: unknown }>;

/** Gives a failure that crossed from a thread its class back: a Problem, or an error with the SQLSTATE of the original. */
function revive(failure: ThreadFailure): Error {
  const options = failure.cause === null ? {} : { cause: failure.cause };
  const code = problemCodes.find((known) => known === failure.problemCode);
  const error = code ? new Problem(code, failure.message, options) : new ThreadError(failure.message, failure.code, options);
  if (failure.stack !== null) error.stack = failure.stack; // where it happened, and not where it arrived
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

/** The pool was closed while the job ran. Nothing is wrong with the job: it is pending as before, and done after the next start. */
export class IngestPoolClosed extends Error {
  override readonly name = 'IngestPoolClosed';

  constructor() {
    super('the service stops');
  }
}

/** The thread died over the job. All that is known is what it said before. */
export class IngestThreadDied extends Error {
  override readonly name = 'IngestThreadDied';
  /** The one record that it was about to read or to store; null: it has not said any. */
  readonly reading: RecordPlace | null;

  constructor(message: string, reading: RecordPlace | null, options?: ErrorOptions) {
    super(reading === null ? message : `${readingText(reading)}: ${message}`, options);
    this.reading = reading;
  }
}

/** How the message of an {@link IngestThreadDied} begins that died over this record. */
export function readingText({ fileId, offset }: RecordPlace): string {
  return `at byte ${offset} of file ${fileId}`;
}

/**
 * Parses and stores in threads of their own, so that uploads and answers go on meanwhile. A thread does one job at a time; one that
 * dies is replaced, and its job fails (its transaction is rolled back by Postgres).
 */
export class IngestPool {
  readonly #options: IngestThreadOptions;
  readonly #onWarning: (line: string) => void;
  /** Fixed sentences, so they are few. */
  readonly #warned = new Set<string>();
  readonly #free: Worker[] = [];
  readonly #all = new Set<Worker>();
  #closed = false;

  /** `onWarning` is told what threads warn of, each line once: they all use the same store. */
  constructor(options: IngestThreadOptions, onWarning: (line: string) => void) {
    this.#options = options;
    this.#onWarning = onWarning;
  }

  /** Does one job in a free thread, starting one when none is free; the dispatcher bounds how many run at once. */
  async run(job: IngestRun): Promise<IngestDone> {
    const reply = await this.#ask({ job });
    if (!('outcome' in reply)) return { outcome: 'busy', stored: null };
    if (reply.stored) {
      count('ingestRuns');
      count('ingestedPoints', reply.stored.points);
      count('ingestedBytes', reply.stored.bytes);
    }
    return reply;
  }

  /** Rolls up series of a run, in one short transaction. */
  async rollUp(job: IngestRun): Promise<RolledUp> {
    const reply = await this.#ask({ rollUp: job });
    return 'rolledUp' in reply ? reply.rolledUp : 'busy';
  }

  /** Joins the segments of a complete file into one object. */
  async join(file: FileToJoin): Promise<void> {
    await this.#ask({ join: file });
  }

  /** Works on a deletion until it is done, or has to wait. */
  async delete(deletion: WaitingDeletion): Promise<void> {
    await this.#ask({ deletion });
  }

  /** Removes objects that no row refers to. */
  async collectOrphans(graceMs: number): Promise<OrphanCount> {
    const reply = await this.#ask({ collect: { graceMs } });
    return 'orphans' in reply ? reply.orphans : { seen: 0, removed: 0, bytes: 0 };
  }

  #ask(request: IngestThreadRequest): Promise<DoneReply> {
    if (this.#closed) return Promise.reject(new IngestPoolClosed());
    const worker = this.#free.pop() ?? this.#start();
    return new Promise((resolve, reject) => {
      let reading: RecordPlace | null = null;
      let died: { readonly error: unknown } | null = null;
      const finish = (settle: () => void): void => {
        worker.off('message', onMessage);
        worker.off('exit', onExit);
        worker.off('error', onError);
        settle();
      };
      const onMessage = (reply: IngestThreadReply | IngestThreadWarning | IngestThreadReading): void => {
        if ('warning' in reply) return; // no answer: see #start
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
      // Its end follows, and before that whatever it said.
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
      worker.postMessage(request);
    });
  }

  /** Starts `threads` threads ahead of the first job. */
  warmUp(threads: number): void {
    while (this.#all.size < threads) this.#free.push(this.#start());
  }

  /** Ends all threads. What still runs is given up: Postgres rolls its transaction back, an object that was being written is not there. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #start(): Worker {
    // Run by Node directly in the source tree; in the build one file with all that it needs, beside `apps` and `libs`.
    const file = import.meta.url.endsWith('.ts') ? './ingest-thread.ts' : '../../../threads/ingest-thread.js';
    const worker = new Worker(new URL(file, import.meta.url), {
      workerData: this.#options,
      // Segments and batches are megabytes outside the heap that only a collection lets go; with the default it is rare: 100 MiB more for the same speed (measured).
      resourceLimits: { maxYoungGenerationSizeMb: 24 },
    });
    this.#all.add(worker);
    worker.on('error', () => undefined); // also reaches the job that it was doing; without any listener it would end the process
    worker.on('message', (message: IngestThreadReply | IngestThreadWarning | IngestThreadReading) => {
      if ('warning' in message) this.#warn(message.warning);
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
