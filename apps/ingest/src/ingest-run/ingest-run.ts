import type { BlobStore } from '#blobs';
import type { IngestOutcome, IngestRun } from '#jobs';
import { OriginalDamaged, readFileBytes } from '#originals';
import { decodeHparams, decodeSessionEnd, PointCollector, sessionEndTag, sessionStartTag } from '#points';
import {
  addSeriesStats,
  claimRun,
  clearRunFailures,
  insertSeries,
  listSeriesToRollUp,
  readFile,
  readRunFiles,
  readRunSeries,
  readSessionStarts,
  seriesKey,
  removeFilePoints,
  settleRemark,
  settleSegments,
  subtractRunUsage,
  tellSettled,
  writeCountsFrom,
  writeFileProblems,
  writeFileProgress,
  writeFilesAsWriters,
  writeRunFacts,
  writeRunState,
  writeSessionStarts,
  type FileProgressUpdate,
  type FileSegments,
  type IngestScope,
  type RunFile,
  type Store,
  type StoredSeries,
  type StoredSessionStart,
} from '#store';
import { failpoint } from '#telemetry';
import type { FileBatch, FileId, SeriesBatch, SeriesId } from '#model';
import { findCopies } from './find-copies.ts';
import { isUnknown, learnWriters } from './learn-writers.ts';
import { OrderCuts } from './order-cuts.ts';
import { parseRange, type ParsedRange } from './parse-range.ts';
import { remarkRun } from './remark-run.ts';
import { RunPlaces } from './run-places.ts';
import { type ScalarIngest, ScalarStats } from './scalar-stats.ts';
import { ScalarTail, type TailBounds } from './scalar-tail.ts';
import { cutStoredScalars, cutTail, storeScalars } from './store-scalars.ts';
import { cutStoredValues, storeValues, type BatchSeries } from './store-values.ts';

/** Bounds of one ingest transaction. */
export interface IngestOptions {
  /** Maximum event file bytes that one transaction parses (plus the rest of the last segment). */
  readonly maxBatchBytes: number;
  /**
   * Pending segments of one file that one transaction reads; the default is rarely less than
   * `maxBatchBytes`.
   */
  readonly maxSegmentsPerFile?: number;
  readonly tail: TailBounds;
}

/**
 * What a committed transaction stored: points (including tensors and blob rows), and the event file
 * bytes that contained them.
 */
export interface Stored {
  readonly points: number;
  readonly bytes: number;
  /** Nothing of the run is left to read, and some of its series can be rolled up. */
  readonly rollUp: boolean;
  /** Where files could not be read on, while others could. */
  readonly lost: readonly LostBytes[];
}

/** The result of one transaction on a run; `stored` is null if none was committed. */
export interface IngestDone {
  readonly outcome: IngestOutcome;
  readonly stored: Stored | null;
}

/**
 * Ingests what is pending of one run, in one transaction: it reads the pending segments in log
 * order, parses complete records, stores points, tensors and blob rows, and in the same transaction
 * advances the files' offsets, settles the segments and notifies the publisher. So a job may run
 * any number of times, and may die at any moment: either everything is stored, or nothing, and the
 * segments are still pending. `onStored` is called with what was committed. `onReading` is called
 * with the record that a batch of one is about to read, and with null once it is stored: a thread
 * that dies in between died on that record.
 */
export async function ingestRun(
  store: Store,
  blobs: BlobStore,
  job: IngestRun,
  options: IngestOptions,
  onStored: (stored: Stored) => void = () => undefined,
  onReading: (place: RecordPlace | null) => void = () => undefined,
): Promise<IngestOutcome> {
  let stored: Stored | null = null;
  await failpoint('before-claim');
  const outcome = await store.withIngest<IngestOutcome>(job.tenantId, async (ingest) => {
    const claimed = await claimRun(ingest, job.runId);
    if (!claimed) return 'busy';
    await failpoint('after-claim');
    const run = new RunIngest(ingest, blobs, job, options, claimed.batchBytes === 1 ? onReading : () => undefined);
    try {
      const done = await run.ingest(claimed.batchBytes ?? options.maxBatchBytes, claimed.remark);
      if (claimed.remark) await settleRemark(ingest, job.runId);
      // If a file is damaged, only the others succeeded: its attempts are still counted.
      if (run.lost.length === 0 && (claimed.failures > 0 || claimed.batchBytes !== null)) {
        const next = claimed.batchBytes === null || done ? null : claimed.batchBytes * 2;
        await clearRunFailures(ingest, job.runId, next !== null && next < options.maxBatchBytes ? next : null);
      }
      const rollUp = done && (await listSeriesToRollUp(ingest, job.runId, 1)).length > 0;
      await tellSettled(ingest, job.experimentId, job.runId, run.settled);
      await failpoint('before-ingest-commit');
      stored = { points: run.pointsStored, bytes: run.bytesRead, rollUp, lost: run.lost };
      if (!done) return 'more';
      return run.bytesRead < littleBytes ? 'little' : 'idle';
    } catch (error) {
      throw new IngestFailure(error, run.witnessed, error instanceof OriginalDamaged ? run.lost : []);
    }
  });
  await failpoint('after-ingest-commit');
  if (stored) onStored(stored);
  return outcome;
}

/** The position of a record. */
export interface RecordPlace {
  readonly fileId: FileId;
  readonly offset: number;
}

/**
 * The records that a transaction had read when it failed: their number, their bytes except for the
 * last one of each file, and the first.
 */
export interface WitnessedRecords {
  count: number;
  bytes: number;
  first: RecordPlace | null;
}

/**
 * Acknowledged bytes of a file that are damaged or missing in storage; every complete record before
 * them is stored.
 */
export interface LostBytes {
  readonly fileId: FileId;
  readonly name: string;
  /** End of the last complete record before them. */
  readonly parsedOffset: number;
  readonly offset: number;
  /** The number of bytes; 0 if unknown. */
  readonly bytes: number;
  /** The finding. */
  readonly detail: string;
}

/**
 * A transaction failed and was rolled back. `cause` says why, `witnessed` which records may be the
 * culprit; if stored bytes are the cause, `lost` lists them: at most one position per file.
 */
export class IngestFailure extends Error {
  readonly witnessed: WitnessedRecords;
  readonly lost: readonly LostBytes[];

  constructor(cause: unknown, witnessed: WitnessedRecords, lost: readonly LostBytes[] = []) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'IngestFailure';
    this.witnessed = witnessed;
    this.lost = lost;
  }
}

/**
 * Whether an attempt would read this file: bytes are pending, damage has not ended it, and the
 * unfinished record is complete or its end is pending.
 */
export function canBeRead(file: RunFile): boolean {
  return file.pending.length > 0 && !file.ended && lastEnd(file) >= file.needsOffset;
}

/** Whether nothing of the file was ever read, so nothing of it is stored. */
function isUnread(file: RunFile): boolean {
  return file.parsedOffset === 0 && file.headCrc32c === null && !file.ended;
}

function pendingBytes(files: readonly RunFile[]): number {
  return files.reduce((sum, { pending }) => pending.reduce((bytes, { length }) => bytes + length, sum), 0);
}

/**
 * A transaction that reads less than this belongs to a live run, whose commits are worth grouping.
 */
const littleBytes = 64 * 1024;

/** One transaction's work on one run. */
class RunIngest {
  bytesRead = 0;
  pointsStored = 0;
  /** Settled segments, by epoch. */
  settled: ReadonlyMap<number, number> = new Map();
  readonly witnessed: WitnessedRecords = { count: 0, bytes: 0, first: null };
  /** Where files could not be read on. */
  readonly lost: LostBytes[] = [];
  readonly #progress: Omit<FileProgressUpdate, 'writer'>[] = [];
  readonly #settledFiles: FileSegments[] = [];
  /** Null: not read yet. */
  #starts: readonly StoredSessionStart[] | null = null;
  #places = new RunPlaces([]);
  /** By `seriesKey`. Null: not read yet. */
  #series: Map<string, StoredSeries> | null = null;
  /** Files whose writer row must be written although nothing of them was read. */
  readonly #related = new Set<FileId>();
  readonly #ingest: ScalarIngest;
  readonly #blobs: BlobStore;
  readonly #job: IngestRun;
  readonly #options: IngestOptions;
  readonly #onReading: (place: RecordPlace | null) => void;

  constructor(
    ingest: IngestScope,
    blobs: BlobStore,
    job: IngestRun,
    options: IngestOptions,
    onReading: (place: RecordPlace | null) => void,
  ) {
    this.#ingest = { scope: ingest, stats: new ScalarStats(ingest) };
    this.#blobs = blobs;
    this.#job = job;
    this.#options = options;
    this.#onReading = onReading;
  }

  /**
   * Works through the files in log order until `maxBytes` are parsed. True if nothing is left that
   * was pending at the start.
   */
  async ingest(maxBytes: number, remark: boolean): Promise<boolean> {
    const { experimentId, runId } = this.#job;
    this.#places = new RunPlaces(await readRunFiles(this.#ingest.scope, experimentId, runId, this.#options.maxSegmentsPerFile));
    const waiting = this.#places.files.filter((file) => file.pending.length > 0);
    await failpoint('after-pending-read');
    // A new run has nothing to look up: otherwise most of the work for a folder of small runs would
    // be lookups of rows that do not exist.
    const isNew = this.#places.files.every(isUnread);
    if (isNew) {
      this.#series = new Map();
      this.#starts = [];
    }
    const tail = isNew
      ? ScalarTail.empty(this.#ingest, runId, this.#options.tail)
      : await ScalarTail.open(this.#ingest, runId, this.#options.tail);
    // Writing chunks at once pays off if nothing more comes.
    if (this.#places.files.every((file) => file.complete && !file.more) && pendingBytes(waiting) <= maxBytes) tail.close();
    if (remark || (waiting.length > 0 && this.#places.files.length > 1 && this.#places.files.some(isUnknown))) await this.#learn(tail);
    const done = waiting.length === 0 || (await this.#ingestFiles(waiting, tail, maxBytes));
    await this.#settleFiles();
    if (done && (await tail.isDue())) await this.#cutTail(tail);
    await this.#ingest.stats.write();
    return done;
  }

  /**
   * Determines the unknown writer properties of files, and applies the rules to everything stored.
   */
  async #learn(tail: ScalarTail): Promise<void> {
    const { runId } = this.#job;
    await this.#cutTail(tail);
    const files = await learnWriters(this.#ingest.scope, this.#blobs, runId, this.#places.files);
    for (const { fileId } of files) this.#related.add(fileId);
    await this.#relate(files, tail, true);
  }

  async #cutTail(tail: ScalarTail): Promise<void> {
    const unruly = await cutTail(this.#ingest, this.#places, tail, await this.#sessionStarts());
    if (unruly.length > 0) await this.#remark(new Set(unruly));
  }

  /**
   * Cuts the tail if it has points of the tags of these series: rules for stored points do not see
   * those in the tail.
   */
  async #cutTagsFromTail(seriesIds: readonly SeriesId[], tail: ScalarTail): Promise<void> {
    const known = [...(await this.#knownSeries()).values()];
    const tags = new Set(known.filter(({ seriesId }) => seriesIds.includes(seriesId)).map(({ meta }) => meta.tag));
    const ids = new Set(known.filter(({ meta }) => tags.has(meta.tag)).map(({ seriesId }) => seriesId));
    if ((await tail.entries()).some(({ seriesId }) => ids.has(seriesId))) await this.#cutTail(tail);
  }

  /**
   * Updates the known properties of the files. If that changes which points are effective, applies
   * the rules to everything stored.
   */
  async #relate(known: readonly RunFile[], tail: ScalarTail, always = false): Promise<void> {
    const { runId } = this.#job;
    const files = known.length > 1 ? await findCopies({ scope: this.#ingest.scope, blobs: this.#blobs }, known) : known;
    const before = this.#places;
    const after = new RunPlaces(files);
    const formerly = new Map(before.files.map((file) => [file.fileId, file]));
    const changed = files.filter((file) => {
      const was = formerly.get(file.fileId)!;
      return was.copyOf !== file.copyOf || was.replaced !== file.replaced;
    });
    for (const { fileId } of changed) this.#related.add(fileId);
    const withdrawn = changed
      .filter((file) => file.copyOf !== null && formerly.get(file.fileId)!.copyOf === null)
      .map(({ fileId }) => fileId);
    if (always || withdrawn.length > 0 || !after.agreesWith(before)) {
      await this.#cutTail(tail);
      this.#places = after;
      if (withdrawn.length > 0) {
        await this.#ingest.stats.write();
        await subtractRunUsage(this.#ingest.scope, runId, await removeFilePoints(this.#ingest.scope, runId, withdrawn));
        this.#starts = null;
      }
      await this.#remark(null);
    }
    this.#places = after;
    for (const file of changed) if (file.copyOf === null && formerly.get(file.fileId)!.copyOf !== null) await this.#catchUp(file, tail);
  }

  /**
   * Stores what was read of a file while it was a copy of another one, as far as its bytes are
   * kept. Bytes that were dropped meanwhile equal those of the other file, which has their points,
   * except deleted ones.
   */
  async #catchUp(file: RunFile, tail: ScalarTail): Promise<void> {
    const { fileId, quarantined } = file;
    const end = this.#progress.find((progress) => progress.fileId === fileId)?.parsedOffset ?? file.parsedOffset;
    const collector = await this.#collector();
    const given = (await readFile(this.#ingest.scope, fileId))?.droppedBytes ?? 0;
    if (given !== file.countsFrom) await writeCountsFrom(this.#ingest.scope, fileId, given);
    let isUnverified = given > 0 && file.isUnverified;
    for (let position = given; position < end;) {
      const bytes = readFileBytes({ scope: this.#ingest.scope, blobs: this.#blobs, fileId, start: position, end });
      const parsed = await parseRange(
        position,
        bytes,
        collector,
        { maxBytes: this.#options.maxBatchBytes, quarantined, isUnverified },
        () => undefined,
      );
      await this.#store(tail, { ...file, parsedOffset: position }, { ...parsed.batch, events: 0 });
      if (parsed.ended || parsed.parsedOffset <= position) return;
      isUnverified = parsed.unverified === parsed.batch.records && (isUnverified || position === 0);
      position = parsed.parsedOffset;
    }
  }

  async #remark(seriesIds: ReadonlySet<SeriesId> | null): Promise<void> {
    const { experimentId, runId } = this.#job;
    const series = await this.#knownSeries();
    await this.#ingest.stats.write();
    const run = { experimentId, runId, places: this.#places, starts: await this.#sessionStarts(), series };
    await remarkRun(this.#ingest.scope, run, seriesIds);
  }

  async #knownSeries(): Promise<Map<string, StoredSeries>> {
    return (this.#series ??= new Map(
      (await readRunSeries(this.#ingest.scope, this.#job.runId)).map((stored) => [
        seriesKey(stored.meta.tag, stored.meta.twin, stored.writer),
        stored,
      ]),
    ));
  }

  /** A collector that knows the series of the run: one per tag, whatever its writers. */
  async #collector(): Promise<PointCollector> {
    const metas = new Map([...(await this.#knownSeries()).values()].map(({ meta }) => [seriesKey(meta.tag, meta.twin, 0), meta]));
    return new PointCollector(metas.values());
  }

  async #ingestFiles(waiting: readonly RunFile[], tail: ScalarTail, maxBytes: number): Promise<boolean> {
    const { experimentId, runId } = this.#job;
    const collector = await this.#collector();
    let damage: OriginalDamaged | null = null;
    let left = maxBytes;
    for (const file of waiting) {
      if (left <= 0) return false;
      const end = lastEnd(file);
      if (file.ended) {
        this.#settle(file, end, {
          ...untouched(file),
          rejectedBytes: bytesBehindEnd(file),
        });
        if (file.more) return false;
        continue;
      }
      // Nothing can be read before the unfinished record is complete; its bytes are settled, and
      // read again from the segments then.
      if (!canBeRead(file)) {
        this.#settle(file, end, untouched(file));
        if (file.more) return false;
        continue;
      }
      this.#onReading({ fileId: file.fileId, offset: file.parsedOffset });
      const { parsed, found } = await this.#read(file, end, collector, left);
      damage ??= found;
      // What was read before the damage is stored first, so no record is taken for the culprit; the next
      // attempt reaches the damage at once.
      if (found && parsed.parsedOffset === file.parsedOffset) {
        this.#lose(file, found);
        this.#onReading(null);
        continue;
      }
      await this.#relate(
        this.#places.files.map((known) => (known.fileId === file.fileId ? readOn(known, parsed) : known)),
        tail,
      );
      // Events are counted once per file, whether or not it is a copy.
      if (this.#isCopy(file.fileId)) await this.#writeRunState({ ...parsed.batch, series: [] }, 0);
      else await this.#store(tail, file, parsed.batch);
      this.#onReading(null);
      this.#settle(file, parsed.readTo, { ...parsed, records: parsed.batch.records });
      if (parsed.batch.problems.length > 0) {
        await writeFileProblems(this.#ingest.scope, { experimentId, runId, fileId: file.fileId }, parsed.batch.problems);
      }
      this.bytesRead += parsed.readTo - file.parsedOffset;
      left -= parsed.readTo - file.parsedOffset;
      if (!found && (parsed.readTo < end || file.more)) return false;
    }
    if (damage === null) return true;
    // The other files continue; an attempt that found nothing else to do fails.
    if (this.#progress.length > 0) return false;
    throw damage;
  }

  /** Reads up to `end`, the bound, or damage in storage, which is then returned as well. */
  async #read(
    file: RunFile,
    end: number,
    collector: PointCollector,
    maxBytes: number,
  ): Promise<{ parsed: ParsedRange; found: OriginalDamaged | null }> {
    const { fileId, parsedOffset, quarantined, isUnverified } = file;
    const stored = readFileBytes({ scope: this.#ingest.scope, blobs: this.#blobs, fileId, start: parsedOffset, end, known: file });
    const damage: OriginalDamaged[] = [];
    const bytes = untilDamage(stored, (found) => damage.push(found));
    let last: number | null = null;
    const parsed = await parseRange(parsedOffset, bytes, collector, { maxBytes, quarantined, isUnverified }, (offset) => {
      this.witnessed.count++;
      this.witnessed.first ??= { fileId, offset };
      this.witnessed.bytes += last === null ? 0 : offset - last;
      last = offset;
    });
    return { parsed, found: damage[0] ?? null };
  }

  #lose({ fileId, name, parsedOffset }: RunFile, { range, message }: OriginalDamaged): void {
    const { start, end } = range ?? { start: parsedOffset, end: parsedOffset };
    this.lost.push({ fileId, name, parsedOffset, offset: start, bytes: end - start, detail: message });
  }

  #isCopy(fileId: FileId): boolean {
    return this.#places.files.some((file) => file.fileId === fileId && file.copyOf !== null);
  }

  async #store(tail: ScalarTail, file: RunFile, batch: FileBatch): Promise<void> {
    const { runId } = this.#job;
    const known = await this.#knownSeries();
    const places = this.#places;
    const series = await this.#identify(batch, known, places.lane(file.fileId));
    const starts = await this.#sessionStarts();
    const orderCuts = new OrderCuts(places, file.fileId, starts, batch);
    const isApart = meets(places, file.fileId, orderCuts.hasStarts);
    const place = { fileId: file.fileId, places, orderCuts, isNewFile: file.parsedOffset === 0, isApart };
    // A live run mostly adds to its tail: a row without new information is not written.
    await addSeriesStats(this.#ingest.scope, series.filter((entry) => entry.isNew || hasCounts(entry)).map(countersOf));
    const unruly = [
      ...(await storeScalars(this.#ingest, place, tail, series, starts)),
      ...(await storeValues(this.#ingest.scope, this.#blobs, place, series)),
    ];
    this.pointsStored += pointsOf(batch);
    if (batch.starts.length > 0) {
      await writeSessionStarts(this.#ingest.scope, runId, file.fileId, batch.starts);
      this.#starts = null;
    }
    if (orderCuts.added.length > 0 && places.lanes > 1) {
      await this.#cutTail(tail);
      await this.#remark(null);
    } else if (orderCuts.added.length > 0) {
      const ids = (dataClass: string): SeriesId[] =>
        [...known.values()].filter((s) => s.meta.dataClass === dataClass).map((s) => s.seriesId);
      await cutStoredScalars(this.#ingest, places, orderCuts.added, ids('scalar'));
      await cutStoredValues(this.#ingest.scope, places, orderCuts.added, { tensors: ids('tensor'), blobSequences: ids('blob_sequence') });
    }
    if (unruly.length > 0) {
      await this.#cutTagsFromTail(unruly, tail);
      await this.#remark(new Set(unruly));
    }
    await this.#writeRunState(batch, series.filter(({ isNew }) => isNew).length);
  }

  /** Assigns each series of the batch its id, creating those that the run did not have. */
  async #identify(batch: FileBatch, known: Map<string, StoredSeries>, writer: number): Promise<BatchSeries[]> {
    const { experimentId, runId } = this.#job;
    const missing = batch.series.map((entry) => entry.meta).filter((meta) => !known.has(seriesKey(meta.tag, meta.twin, writer)));
    const ids = await insertSeries(this.#ingest.scope, experimentId, runId, missing, writer);
    const fresh = new Set(missing);
    missing.forEach((meta, i) => known.set(seriesKey(meta.tag, meta.twin, writer), { seriesId: ids[i]!, writer, meta }));
    return batch.series.map((entry, index) => ({
      batch: entry,
      index,
      isNew: fresh.has(entry.meta),
      seriesId: known.get(seriesKey(entry.meta.tag, entry.meta.twin, writer))!.seriesId,
    }));
  }

  async #writeRunState(batch: FileBatch, newSeries: number): Promise<void> {
    const { experimentId, runId } = this.#job;
    const hparamsSeries = batch.series.filter((entry) => entry.meta.plugin === 'hparams');
    const start = firstNonNull(hparamsSeries, (entry) =>
      entry.meta.tag === sessionStartTag ? decodeHparams(entry.meta.pluginContent) : null,
    );
    const end = firstNonNull(hparamsSeries, (entry) =>
      entry.meta.tag === sessionEndTag ? decodeSessionEnd(entry.meta.pluginContent) : null,
    );
    if (batch.run !== null) await writeRunFacts(this.#ingest.scope, experimentId, runId, batch.run);
    await writeRunState(this.#ingest.scope, experimentId, runId, {
      events: batch.events,
      startTime: batch.startWallTime,
      lastTime: batch.lastWallTime,
      hparams: start?.hparams ?? null,
      groupName: start?.groupName || null,
      status: end?.status ?? null,
      points: pointsOf(batch),
      series: newSeries,
      valueBytes: valueBytesOf(batch),
    });
  }

  #settle(file: RunFile, readTo: number, progress: Omit<FileProgressUpdate, 'fileId' | 'writer'>): void {
    const offsets = file.pending.filter((segment) => segment.offset + segment.length <= readTo).map((segment) => segment.offset);
    this.#progress.push({ fileId: file.fileId, ...progress });
    this.#settledFiles.push({ fileId: file.fileId, offsets });
  }

  /**
   * Writes the collected updates of the files at once: a run has several files, and a statement
   * costs more than its rows.
   */
  async #settleFiles(): Promise<void> {
    const { experimentId, runId } = this.#job;
    const files = new Map(this.#places.files.map((file) => [file.fileId, file]));
    const progress = this.#progress.map((update) => ({ ...update, writer: files.get(update.fileId)! }));
    if (progress.length > 0) await writeFileProgress(this.#ingest.scope, progress);
    for (const { fileId } of progress) this.#related.delete(fileId);
    if (this.#related.size > 0)
      await writeFilesAsWriters(
        this.#ingest.scope,
        [...this.#related].map((fileId) => files.get(fileId)!),
      );
    if (progress.length === 0) return;
    this.settled = await settleSegments(this.#ingest.scope, experimentId, runId, this.#settledFiles);
  }

  /** The STARTs of the run, read again after some were written. */
  async #sessionStarts(): Promise<readonly StoredSessionStart[]> {
    return (this.#starts ??= await readSessionStarts(this.#ingest.scope, this.#job.runId));
  }
}

/** The writer properties of a file after a range of it was read. */
function readOn(file: RunFile, { batch, headCrc32c }: ParsedRange): RunFile {
  // If the file was started before properties were recorded, the earlier part is unknown.
  if (isUnknown(file)) return file;
  return {
    ...file,
    headCrc32c: file.headCrc32c ?? headCrc32c,
    firstWallTime: least(file.firstWallTime, batch.firstWallTime),
    lastWallTime: least(file.lastWallTime, batch.lastWallTime, Math.max),
  };
}

function least(a: number | null, b: number | null, pick: (a: number, b: number) => number = Math.min): number | null {
  return a === null || b === null ? (a ?? b) : pick(a, b);
}

/**
 * Whether points of this file affect those of other lanes, or the reverse, depending on how many
 * points of their series are stored of the file: a writer that is later than another one cuts it
 * with its first points, since the following ones rise.
 */
function meets(places: RunPlaces, fileId: FileId, hasStarts: boolean): (firstOrdinal: number) => boolean {
  if (places.lanes === 1) return () => false;
  const always = places.hasLaterElsewhere(fileId) || (hasStarts && places.rank(fileId) >= 0);
  const atFirst = places.hasEarlierElsewhere(fileId);
  return (firstOrdinal) => always || (atFirst && firstOrdinal === 0);
}

function pointsOf({ series }: FileBatch): number {
  return series.reduce(
    (sum, { scalars, tensors, blobSequences }) => sum + (scalars?.steps.length ?? 0) + tensors.length + blobSequences.length,
    0,
  );
}

function valueBytesOf({ series }: FileBatch): number {
  let bytes = 0;
  for (const { tensors, blobSequences } of series) {
    for (const { data } of tensors) bytes += data.length;
    for (const { blobs } of blobSequences) for (const blob of blobs) bytes += blob.length;
  }
  return bytes;
}

/** `bytes` up to where they are damaged; calls `onDamage` with details. */
async function* untilDamage(bytes: AsyncIterable<Buffer>, onDamage: (damage: OriginalDamaged) => void): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    if (!(error instanceof OriginalDamaged)) throw error;
    onDamage(error);
  }
}

function lastEnd(file: RunFile): number {
  const last = file.pending.at(-1)!;
  return last.offset + last.length;
}

/** Pending bytes of an ended file. The start of the first segment may have been read. */
function bytesBehindEnd({ pending, parsedOffset }: RunFile): number {
  const all = pending.reduce((sum, segment) => sum + segment.length, 0);
  return all - Math.max(0, parsedOffset - pending[0]!.offset);
}

function untouched(file: RunFile) {
  return { parsedOffset: file.parsedOffset, needsOffset: file.needsOffset, records: 0, unverified: 0, rejectedBytes: 0, ended: file.ended };
}

function hasCounts({ batch }: BatchSeries): boolean {
  return batch.invalidPoints + batch.mismatchedPoints + batch.roundedPoints > 0;
}

function countersOf({ seriesId, batch }: BatchSeries) {
  return {
    seriesId,
    points: 0,
    superseded: 0,
    invalid: batch.invalidPoints,
    mismatched: batch.mismatchedPoints,
    rounded: batch.roundedPoints,
    firstStep: null,
    lastStep: null,
    lastWallTime: null,
    maxLength: null,
  };
}

function firstNonNull<T>(series: readonly SeriesBatch[], pick: (entry: SeriesBatch) => T | null): T | null {
  for (const entry of series) {
    const value = pick(entry);
    if (value !== null) return value;
  }
  return null;
}
