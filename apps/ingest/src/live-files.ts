import type { IngestRun } from '#jobs';
import type { FileToJoin } from '#store';
import { measureRound } from '#telemetry';
import type { IngestRunner } from './handlers/ingest-run.handler.ts';
import { IngestPoolClosed } from './ingest-pool.ts';
import type { IngestDone } from './ingest-run/ingest-run.ts';
import type { RolledUp } from './roll-up/roll-up-run.ts';

/** Ingests runs and joins segments, in threads. */
export interface LiveFileRunner extends IngestRunner {
  joinSegments(file: FileToJoin): Promise<void>;
}

export interface LiveFilesOptions {
  /**
   * Whether a file has segments to join. This is checked first: if all threads are ingesting, a
   * join starts another thread, which needs memory and slows down the other threads while its code
   * is compiled.
   */
  readonly hasSegmentsToJoin: (file: FileToJoin) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
  /** Returns numbers from 0 to below 1. */
  readonly random?: () => number;
}

/** A file is checked about once per this many segments. */
const segmentsPerLook = 256;

/** Maximum number of waiting files. Files beyond it are selected again later. */
const maxWaiting = 1_000;

/**
 * Joins segments of growing files, one file at a time, while the files are ingested. For each
 * settled segment, a random number decides whether its file is checked. This needs no counting or
 * searching: a file with many segments is found within a few hundred further segments, no matter
 * which processes ingest it and how often they restart.
 */
export class LiveFiles implements IngestRunner {
  readonly #runner: LiveFileRunner;
  readonly #options: Required<LiveFilesOptions>;
  readonly #waiting = new Map<string, FileToJoin>();
  #work: Promise<void> | null = null;
  #closing = false;

  constructor(runner: LiveFileRunner, options: LiveFilesOptions) {
    this.#runner = runner;
    this.#options = { random: Math.random, ...options };
  }

  /** Ingests a run. Selects some of its files at random to be checked. */
  async run(job: IngestRun): Promise<IngestDone> {
    const done = await this.#runner.run(job);
    for (const [fileId, segments] of done.committed?.segments ?? []) {
      if (this.#options.random() * segmentsPerLook < segments) this.#offer({ tenantId: job.tenantId, fileId });
    }
    return done;
  }

  /** Rolls up some of a run's series. */
  rollUp(job: IngestRun): Promise<RolledUp> {
    return this.#runner.rollUp(job);
  }

  /** Starts no further joins. Resolves when the current join is done or abandoned. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#work;
  }

  #offer(file: FileToJoin): void {
    if (this.#closing || this.#waiting.size >= maxWaiting) return;
    this.#waiting.set(`${file.tenantId}/${file.fileId}`, file);
    this.#work ??= this.#joinAll().finally(() => (this.#work = null));
  }

  async #joinAll(): Promise<void> {
    for (const [key, file] of this.#waiting) {
      if (this.#closing) return;
      this.#waiting.delete(key);
      try {
        if (await this.#options.hasSegmentsToJoin(file)) await measureRound('segments', () => this.#runner.joinSegments(file));
      } catch (error) {
        if (!(error instanceof IngestPoolClosed)) this.#options.onError(error);
      }
    }
  }
}
