import type { BlobStore } from '#blobs';
import type { IngestRun } from '#jobs';
import { type FileId, isLogName } from '#model';
import { type OriginalDamaged, readFileItems } from '#originals';
import type { PointCollector } from '#points';
import { type IngestScope, readRunFiles, type RunFile, writeFileProblems } from '#store';
import { failpoint } from '#telemetry';
import { FileRelations } from './file-relations.ts';
import type { LostBytes, RecordPlace, WitnessedRecords } from './ingest-failure.ts';
import { ingestLogs } from './ingest-logs.ts';
import { isUnknown } from './learn-writers.ts';
import { parseRange, type ParsedRange } from './parse-range.ts';
import { bytesBehindEnd, canBeRead, isUnread, lastEnd, lostBytes, pendingBytes, untilDamage } from './pending-file.ts';
import { RunFileOrder } from './run-file-order.ts';
import { RunPoints } from './run-points.ts';
import { type ScalarIngest, ScalarStats } from './scalar-stats.ts';
import type { TailBounds } from './scalar-tail.ts';
import { type FileProgress, Settlements, untouched } from './settlements.ts';

/** Limits for one ingest transaction. */
export interface IngestOptions {
  /** Maximum event file bytes that one transaction parses, plus the rest of the last segment. */
  readonly maxBatchBytes: number;
  /**
   * Maximum pending segments of one file that one transaction reads. The default rarely holds less
   * than `maxBatchBytes`.
   */
  readonly maxSegmentsPerFile?: number;
  readonly tail: TailBounds;
}

/** One transaction's work on one run: its files in log order. */
export class RunIngest {
  bytesRead = 0;
  /** Number of points stored, including tensors and blob rows. */
  pointsStored = 0;
  /** Number of settled segments per epoch. */
  settled: ReadonlyMap<number, number> = new Map();
  /** Number of settled segments per file. */
  get segments(): (readonly [FileId, number])[] {
    return this.#settlements.counts();
  }

  readonly witnessed: WitnessedRecords = { count: 0, bytes: 0, first: null };
  /** The positions beyond which files could not be read. */
  readonly lost: LostBytes[] = [];
  readonly #settlements = new Settlements();
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
   * Works through the files in log order until `maxBytes` are parsed. Returns true if nothing is
   * left of what was pending at the start.
   */
  async ingest(maxBytes: number, remark: boolean): Promise<boolean> {
    const { experimentId, runId } = this.#job;
    const { scope, stats } = this.#ingest;
    const all = await readRunFiles(scope, experimentId, runId, this.#options.maxSegmentsPerFile);
    const fileOrder = new RunFileOrder(all);
    const logs = all.filter(({ name }) => isLogName(name));
    const { files } = fileOrder;
    const waiting = files.filter((file) => file.pending.length > 0);
    await failpoint('after-pending-read');
    const points = await RunPoints.open({ ingest: this.#ingest, blobs: this.#blobs, job: this.#job, fileOrder }, this.#options.tail, {
      isNew: files.every(isUnread),
      willStore: waiting.length > 0,
    });
    const relations = new FileRelations({
      scope,
      blobs: this.#blobs,
      points,
      settlements: this.#settlements,
      maxBatchBytes: this.#options.maxBatchBytes,
    });
    if (files.every((file) => file.complete && !file.more) && pendingBytes(waiting) <= maxBytes) points.closeTail();
    if (remark || (waiting.length > 0 && files.length > 1 && files.some(isUnknown))) await relations.learn(runId);
    const indexed = await ingestLogs({ scope, blobs: this.#blobs, experimentId, runId, settlements: this.#settlements }, logs, maxBytes);
    this.lost.push(...indexed.lost);
    this.bytesRead += indexed.bytes;
    const read = waiting.length === 0 || (await this.#ingestFiles(waiting, points, relations, maxBytes));
    if (indexed.damage && this.#settlements.isEmpty) throw indexed.damage;
    const done = read && indexed.done;
    const [settled, isTailDue] = await Promise.all([
      this.#settlements.write(scope, this.#job, [...points.fileOrder.files, ...logs], relations.changed),
      done && points.isTailDue(),
    ]);
    this.settled = settled;
    if (isTailDue) await points.cutTail();
    await stats.write();
    this.pointsStored = points.added;
    return done;
  }

  async #ingestFiles(waiting: readonly RunFile[], points: RunPoints, relations: FileRelations, maxBytes: number): Promise<boolean> {
    const { experimentId, runId } = this.#job;
    const collector = await points.series.collector();
    let damage: OriginalDamaged | null = null;
    let left = maxBytes;
    for (const file of waiting) {
      if (left <= 0) return false;
      const end = lastEnd(file);
      if (file.ended) {
        this.#settlements.add(file, end, { ...untouched(file), rejectedBytes: bytesBehindEnd(file) });
        if (file.more) return false;
        continue;
      }
      // Nothing can be read before the unfinished record is complete. Its bytes are settled now,
      // and are read again from the segments once the record is complete.
      if (!canBeRead(file)) {
        this.#settlements.add(file, end, untouched(file));
        if (file.more) return false;
        continue;
      }
      this.#onReading({ fileId: file.fileId, offset: file.parsedOffset });
      const { parsed, found } = await this.#read(file, end, collector, left);
      damage ??= found;
      // Points read before the damage are stored first, so that no record is mistaken for the
      // culprit. The next attempt reaches the damage immediately.
      if (found && parsed.parsedOffset === file.parsedOffset) {
        this.lost.push(lostBytes(file, found));
        this.#onReading(null);
        continue;
      }
      await relations.update(file.fileId, parsed);
      // Events count once per file, whether or not the file is a copy.
      if (relations.isCopy(file.fileId)) await points.writeRunState({ ...parsed.batch, series: [] }, 0);
      else await points.store(file, parsed.batch);
      this.#onReading(null);
      this.#settlements.add(file, parsed.readTo, progressOf(parsed));
      if (parsed.batch.problems.length > 0) {
        await writeFileProblems(this.#ingest.scope, { experimentId, runId, fileId: file.fileId }, parsed.batch.problems);
      }
      this.bytesRead += parsed.readTo - file.parsedOffset;
      left -= parsed.readTo - file.parsedOffset;
      if (!found && (parsed.readTo < end || file.more)) return false;
    }
    if (damage === null) return true;
    // The other files continue. The attempt fails only if nothing else was left to do.
    if (!this.#settlements.isEmpty) return false;
    throw damage;
  }

  /** Reads up to `end`, the limit, or damage in storage. Also returns the damage. */
  async #read(
    file: RunFile,
    end: number,
    collector: PointCollector,
    maxBytes: number,
  ): Promise<{ parsed: ParsedRange; found: OriginalDamaged | null }> {
    const { fileId, parsedOffset, quarantined, isUnverified } = file;
    const stored = readFileItems({ scope: this.#ingest.scope, blobs: this.#blobs, fileId, start: parsedOffset, end, known: file });
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
}

function progressOf({ parsedOffset, needsOffset, batch, unverified, rejectedBytes, ended }: ParsedRange): FileProgress {
  return { parsedOffset, needsOffset, records: batch.records, unverified, rejectedBytes, ended };
}
