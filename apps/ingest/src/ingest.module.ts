import { type BeforeApplicationShutdown, Inject, Injectable, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Dispatcher, type IngestOutcome, type IngestRun, Sweeper } from '#jobs';
import { hasSegmentsToJoin } from '#originals';
import { atMost } from '#service';
import { Store } from '#store';
import { count, gauge, inBrief, inFull } from '#telemetry';
import { DeletionJanitor } from './deletion/deletion-janitor.ts';
import { MaintenanceJanitor } from './deletion/maintenance-janitor.ts';
import { CitationJanitor } from './citations/citation-janitor.ts';
import { ExportJanitor } from './exports/export-janitor.ts';
import { FailureLog } from './failure-log.ts';
import { IngestActivity } from './ingest-activity.ts';
import { joinBounds } from './ingest-bounds.ts';
import { IngestRunHandler } from './handlers/ingest-run.handler.ts';
import { IngestFailure } from './ingest-run/ingest-failure.ts';
import { LiveFiles } from './live-files.ts';
import { OriginalsJanitor } from './originals-janitor.ts';
import { IngestPool, type IngestThreadOptions } from './ingest-pool.ts';
import { PendingWatch } from './pending-watch.ts';
import { type PublishListener, wakeReaders } from './publish/published.ts';
import { Publisher } from './publish/publisher.ts';

export { ingestBounds } from './ingest-bounds.ts';

/** Settings for ingest; the composing app provides an implementation. */
export abstract class IngestSettings {
  abstract readonly thread: IngestThreadOptions;
  /** How many runs are ingested concurrently, each in its own thread. */
  abstract readonly concurrency: number;
  abstract readonly sweepEveryMs: number;
  /**
   * How long attempts must keep failing on the same lost bytes before ingest ends the file there.
   */
  abstract readonly believeLostAfterMs: number;
  /** Unreferenced objects are removed once they are older than this. */
  abstract readonly orphanGraceMs: number;
  /** How long export results are kept. */
  abstract readonly exportKeepMs: number;
}

const maxRunsPerSweep = 1_000;
const lookEveryMs = 5_000;
const joinEveryMs = 5_000;
const maxFilesPerRound = 1_000;
/** This many pending segments or more count as a burst of uploads. */
const manySegments = 64;
const deleteEveryMs = 1_000;
const exportEveryMs = 1_000;
const citationEveryMs = 1_000;
const maxMaintenanceEveryMs = 60_000;
/** How long running work can continue when the application shuts down. */
const maxCloseMs = 5_000;

/**
 * Starts the ingest threads and the sweeper with the application, and stops them before it shuts
 * down. Running transactions have 5 s to finish.
 */
@Injectable()
export class IngestService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #dispatcher: Dispatcher;
  readonly #settings: IngestSettings;
  readonly #pool: IngestPool;
  readonly #handler: IngestRunHandler;
  readonly #sweeper: Sweeper;
  readonly #originals: OriginalsJanitor;
  readonly #live: LiveFiles;
  readonly #deletions: DeletionJanitor;
  readonly #maintenance: MaintenanceJanitor;
  readonly #exports: ExportJanitor;
  readonly #citations: CitationJanitor;
  readonly #publisher: Publisher;
  readonly #listeners: PublishListener[] = [wakeReaders];
  readonly #log = new Logger('ingest');
  readonly #failures = new FailureLog(this.#log);
  /** Pending work, across all processes. */
  readonly pending: PendingWatch;
  /** Work that this process is attempting. */
  readonly activity = new IngestActivity();

  constructor(@Inject(Store) store: Store, @Inject(Dispatcher) dispatcher: Dispatcher, @Inject(IngestSettings) settings: IngestSettings) {
    this.#dispatcher = dispatcher;
    this.#settings = settings;
    this.#pool = new IngestPool(settings.thread, (line) => this.#log.warn(line));
    const onFailure = (error: unknown, job: IngestRun): void => {
      count('ingestFailures');
      this.#failures.tell(`run ${job.runId} could not be ingested`, error instanceof IngestFailure ? error.cause : error, inFull);
    };
    this.#live = new LiveFiles(this.#pool, {
      hasSegmentsToJoin: (file) => hasSegmentsToJoin(store, file, joinBounds),
      onError: (error) => this.#failures.tell('segments of a growing file could not be joined', error, inBrief),
    });
    this.#handler = new IngestRunHandler(
      store,
      this.#live,
      { maxBatchBytes: settings.thread.bounds.maxBatchBytes, believeLostAfterMs: settings.believeLostAfterMs },
      onFailure,
    );
    this.#sweeper = new Sweeper(store, dispatcher, {
      everyMs: settings.sweepEveryMs,
      maxRuns: maxRunsPerSweep,
      maxTailAgeMs: settings.thread.bounds.tail.maxAgeMs,
      onError: (error) => this.#failures.tell('the ledger could not be swept', error, String),
    });
    this.#publisher = new Publisher(store, {
      listeners: this.#listeners,
      onHealed: (reason) => this.#log.warn(`the progress of an experiment was rebuilt from the ledger: ${reason}`),
      onError: (error) => this.#failures.tell('publishing failed and is retried', error, String),
    });
    this.pending = new PendingWatch(store, {
      everyMs: lookEveryMs,
      onError: (error) => this.#failures.tell('the ledger could not be read', error, String),
    });
    this.#originals = new OriginalsJanitor(store, this.#pool, {
      everyMs: joinEveryMs,
      completeForMs: joinEveryMs,
      maxFiles: maxFilesPerRound,
      isBusy: () => (this.pending.latest?.segments ?? 0) >= manySegments,
      onError: (error) => this.#failures.tell('the segments of a file could not be joined', error, inBrief),
    });
    this.#deletions = new DeletionJanitor(store, this.#pool, {
      everyMs: deleteEveryMs,
      onError: (error) => this.#failures.tell('a deletion failed and is retried', error, inBrief),
    });
    const pool = this.#pool;
    this.#exports = new ExportJanitor(
      store,
      {
        writeExport: (job) => pool.writeExport(job, settings.exportKeepMs),
        removeExports: (tenantId) => pool.removeExports(tenantId),
      },
      { everyMs: exportEveryMs, onError: (error) => this.#failures.tell('an export failed', error, inBrief) },
    );
    this.#citations = new CitationJanitor(store, this.#pool, {
      everyMs: citationEveryMs,
      onError: (error) => this.#failures.tell('the digest of a citation could not be computed', error, inBrief),
    });
    this.#maintenance = new MaintenanceJanitor(store, this.#pool, {
      everyMs: Math.min(maxMaintenanceEveryMs, settings.orphanGraceMs / 4),
      orphanGraceMs: settings.orphanGraceMs,
      onOrphans: ({ seen, removed, bytes }) => {
        count('removedOrphans', removed);
        if (removed > 0) this.#log.log(`removed ${removed} of ${seen} objects (${bytes} bytes) without references`);
      },
      onError: (error) => this.#failures.tell('orphans or old originals could not be removed', error, inBrief),
    });
  }

  /**
   * Registers a listener that is called for all epochs that this process publishes from now on. All
   * ingest processes must have the same listeners.
   */
  onPublished(listener: PublishListener): void {
    this.#listeners.push(listener);
  }

  onApplicationBootstrap(): void {
    const { pending } = this;
    gauge('plotline_pending_segments', 'Segments that are acknowledged but not ingested.', () => pending.latest?.segments ?? null);
    gauge('plotline_pending_bytes', 'Bytes that are acknowledged but not ingested.', () => pending.latest?.bytes ?? null);
    gauge('plotline_pending_oldest_seconds', 'Age of the oldest segment that could be ingested now.', () =>
      pending.latest === null ? null : (pending.latest.oldestMs ?? 0) / 1_000,
    );
    gauge(
      'plotline_pending_stalled_seconds',
      'Time since anything was ingested, while something could be ingested.',
      () => pending.stalledMs / 1_000,
    );
    gauge(
      'plotline_ingest_longest_job_seconds',
      'How long the longest-running job has been running.',
      () => this.activity.longestMs / 1_000,
    );
    this.#pool.warmUp(this.#settings.concurrency);
    this.#dispatcher.start((job) => this.activity.note(() => this.#ingest(job)), this.#settings.concurrency);
    this.#publisher.start();
    this.pending.start();
    this.#sweeper.start();
    this.#originals.start();
    this.#deletions.start();
    this.#maintenance.start();
    this.#exports.start();
    this.#citations.start();
  }

  async #ingest(job: IngestRun): Promise<IngestOutcome> {
    const outcome = await this.#handler.handle(job);
    // Not awaited, so that the next batch is parsed in the meantime.
    if (outcome !== 'busy') void this.#publisher.publish(job.tenantId, job.experimentId);
    return outcome;
  }

  async beforeApplicationShutdown(): Promise<void> {
    const quiet = Promise.all([
      this.pending.close(),
      this.#sweeper.close(),
      this.#originals.close(),
      this.#live.close(),
      this.#deletions.close(),
      this.#maintenance.close(),
      this.#exports.close(),
      this.#citations.close(),
      this.#dispatcher.close().then(() => this.#publisher.close()),
    ]);
    // Joining a file of several gigabytes takes minutes, so the shutdown does not wait for it.
    await atMost(quiet, maxCloseMs);
    await this.#pool.close();
    await quiet;
  }
}

/** The ingest worker. Store, Dispatcher and IngestSettings come from the composing app. */
@Module({ providers: [IngestService], exports: [IngestService] })
export class IngestModule {}
