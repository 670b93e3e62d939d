import type { BlobStore } from '#blobs';
import type { IngestRun } from '#jobs';
import type { FileBatch, FileId, SeriesId } from '#model';
import {
  addSeriesStats,
  readRunSeries,
  readSessionStarts,
  removeFilePoints,
  subtractRunUsage,
  writeRunFacts,
  writeRunState,
  writeSessionStarts,
  type RunFile,
  type StoredSeries,
  type StoredSessionStart,
} from '#store';
import { countersOf, pointsOf, runStateOf } from './batch-counts.ts';
import { KnownSeries } from './known-series.ts';
import { OrderCuts } from './order-cuts.ts';
import { remarkRun } from './remark-run.ts';
import type { RunFileOrder } from './run-file-order.ts';
import type { ScalarIngest } from './scalar-stats.ts';
import { ScalarTail, type TailBounds } from './scalar-tail.ts';
import { cutStoredScalars, cutTail, storeScalars } from './store-scalars.ts';
import { cutStoredValues, storeValues } from './store-values.ts';

/** Context of {@link RunPoints}. */
interface RunPointsOptions {
  readonly ingest: ScalarIngest;
  readonly blobs: BlobStore;
  readonly job: IngestRun;
  readonly fileOrder: RunFileOrder;
}

/**
 * The stored points of a run in one transaction. Adds batches. Applies the data rules to stored
 * points if the order of the files or a new START requires it.
 */
export class RunPoints {
  /** Number of points added, including tensors and blob rows. */
  added = 0;
  fileOrder: RunFileOrder;
  readonly series: KnownSeries;
  readonly #ingest: ScalarIngest;
  readonly #blobs: BlobStore;
  readonly #job: IngestRun;
  readonly #tail: ScalarTail;
  /** Null if not read yet. */
  #starts: readonly StoredSessionStart[] | null;

  private constructor(
    { ingest, blobs, job, fileOrder }: RunPointsOptions,
    tail: ScalarTail,
    series: readonly StoredSeries[] | null,
    starts: readonly StoredSessionStart[] | null,
  ) {
    this.fileOrder = fileOrder;
    this.series = new KnownSeries(ingest.scope, job, series);
    this.#ingest = ingest;
    this.#blobs = blobs;
    this.#job = job;
    this.#tail = tail;
    this.#starts = starts;
  }

  /**
   * Opens the points of a run. Nothing is looked up for a new run: otherwise, lookups of missing
   * rows would be most of the work for a folder of small runs. If a batch will be stored, one round
   * trip reads everything that it needs.
   */
  static async open(
    options: RunPointsOptions,
    bounds: TailBounds,
    { isNew, willStore }: { readonly isNew: boolean; readonly willStore: boolean },
  ): Promise<RunPoints> {
    const { ingest, job } = options;
    if (isNew) return new RunPoints(options, ScalarTail.empty(ingest, job.runId, bounds), [], []);
    const [tail, series, starts] = await Promise.all([
      ScalarTail.open(ingest, job.runId, bounds),
      willStore ? readRunSeries(ingest.scope, job.runId) : null,
      willStore ? readSessionStarts(ingest.scope, job.runId) : null,
    ]);
    return new RunPoints(options, tail, series, starts);
  }

  /** Writes all further points to chunks, which pays off if no more data follows. */
  closeTail(): void {
    this.#tail.close();
  }

  /** Stores a batch of one file, and applies the rules to the affected data. */
  async store(file: RunFile, batch: FileBatch): Promise<void> {
    const { scope } = this.#ingest;
    const fileOrder = this.fileOrder;
    const series = await this.series.identify(batch, fileOrder.lane(file.fileId));
    const starts = await this.#sessionStarts();
    const orderCuts = new OrderCuts(fileOrder, file.fileId, starts, batch);
    const isApart = meets(fileOrder, file.fileId, orderCuts.hasStarts);
    const place = { fileId: file.fileId, fileOrder, orderCuts, isNewFile: file.parsedOffset === 0, isApart };
    await addSeriesStats(scope, countersOf(series));
    const unruly = [
      ...(await storeScalars(this.#ingest, place, this.#tail, series, starts)),
      ...(await storeValues(scope, this.#blobs, place, series)),
    ];
    this.added += pointsOf(batch);
    if (batch.starts.length > 0) {
      await writeSessionStarts(scope, this.#job.runId, file.fileId, batch.starts);
      this.#starts = null;
    }
    if (orderCuts.added.length > 0 && fileOrder.lanes > 1) {
      await this.cutTail();
      await this.remark(null);
    } else if (orderCuts.added.length > 0) {
      await cutStoredScalars(this.#ingest, fileOrder, orderCuts.added, await this.series.ofClass('scalar'));
      await cutStoredValues(scope, fileOrder, orderCuts.added, {
        tensors: await this.series.ofClass('tensor'),
        blobSequences: await this.series.ofClass('blob_sequence'),
      });
    }
    if (unruly.length > 0) {
      await this.#cutTagsFromTail(unruly);
      await this.remark(new Set(unruly));
    }
    await this.writeRunState(batch, series.filter(({ isNew }) => isNew).length);
  }

  /** Updates the run's state from a batch. */
  async writeRunState(batch: FileBatch, newSeries: number): Promise<void> {
    const { experimentId, runId } = this.#job;
    if (batch.run !== null) await writeRunFacts(this.#ingest.scope, experimentId, runId, batch.run);
    await writeRunState(this.#ingest.scope, experimentId, runId, runStateOf(batch, newSeries));
  }

  /** Whether the tail should be cut into chunks now, because it is old or no more data follows. */
  async isTailDue(): Promise<boolean> {
    return this.#tail.isDue();
  }

  /** Cuts the tail into chunks. */
  async cutTail(): Promise<void> {
    const unruly = await cutTail(this.#ingest, this.fileOrder, this.#tail, await this.#sessionStarts());
    if (unruly.length > 0) await this.remark(new Set(unruly));
  }

  /** Removes the points of files that have become copies. */
  async removePointsOf(fileIds: readonly FileId[]): Promise<void> {
    const { scope, stats } = this.#ingest;
    await stats.write();
    await subtractRunUsage(scope, this.#job.runId, await removeFilePoints(scope, this.#job.runId, fileIds));
    this.#starts = null;
  }

  /**
   * Applies the rules to the stored points for the tags of these series, or for all tags if null.
   */
  async remark(seriesIds: ReadonlySet<SeriesId> | null): Promise<void> {
    const { experimentId, runId } = this.#job;
    const series = await this.series.all();
    await this.#ingest.stats.write();
    const run = { experimentId, runId, fileOrder: this.fileOrder, starts: await this.#sessionStarts(), series };
    await remarkRun(this.#ingest.scope, run, seriesIds);
  }

  /**
   * Cuts the tail if it has points for the tags of these series: the rules for stored points do not
   * apply to points in the tail.
   */
  async #cutTagsFromTail(seriesIds: readonly SeriesId[]): Promise<void> {
    const ids = await this.series.withTagsOf(seriesIds);
    if ((await this.#tail.entries()).some(({ seriesId }) => ids.has(seriesId))) await this.cutTail();
  }

  /** The run's STARTs, read again after new ones were written. */
  async #sessionStarts(): Promise<readonly StoredSessionStart[]> {
    return (this.#starts ??= await readSessionStarts(this.#ingest.scope, this.#job.runId));
  }
}

/**
 * Whether points of this file affect points in other lanes, or vice versa. This depends on how many
 * points of the series are stored from the file. A later writer cuts an earlier one only with its
 * first points, because its later steps are higher.
 */
function meets(fileOrder: RunFileOrder, fileId: FileId, hasStarts: boolean): (firstOrdinal: number) => boolean {
  if (fileOrder.lanes === 1) return () => false;
  const always = fileOrder.hasLaterElsewhere(fileId) || (hasStarts && fileOrder.rank(fileId) >= 0);
  const atFirst = fileOrder.hasEarlierElsewhere(fileId);
  return (firstOrdinal) => always || (atFirst && firstOrdinal === 0);
}
