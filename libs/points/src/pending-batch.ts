import { type FileBatch, type FileProblem, type FileProblemReason, limits, type RunRecord, type SessionStart } from '#model';
import { ProblemList } from './problem-list.ts';
import { type Reading, readNothing, type UnfoldBudget } from './reading.ts';
import { mergeRunRecords } from './run-facts.ts';
import { shownTag } from './run-series.ts';
import { Series } from './series.ts';
import { twinMetadata } from './summary-metadata.ts';
import type { EventScan } from './value-scan.ts';
import { int64 } from './wire.ts';

/** Rough cost of a small object in memory, for `bytes`. A guess, not measured. */
const objectBytes = 200;
/** Bytes of a scalar point in columns. */
const pointBytes = 24;

/** The record reader's counts for the same range of the file. */
export interface Framing {
  /** Number of complete records read, including skipped ones. */
  readonly records: number;
  readonly problems: readonly FileProblem[];
}

/** The points since the last batch, and the metadata of that batch. */
export class PendingBatch {
  #active: Series[] = [];
  #starts: SessionStart[] = [];
  readonly #problems = new ProblemList();
  #events = 0;
  #startWallTime = Infinity;
  #firstWallTime = Infinity;
  #lastWallTime = -Infinity;
  #run: RunRecord | null = null;
  #points = 0;
  #otherBytes = 0;
  #pointsAtLastStart = -1;

  /**
   * State of the current event: its offset, its dropped values, and the remaining budget for its
   * values.
   */
  #offset = 0;
  readonly #notes = new Map<FileProblemReason, { count: number; detail: string }>();
  readonly #unfold: UnfoldBudget = { left: 0 };
  #blobsLeft = 0;

  get points(): number {
    return this.#points;
  }

  /**
   * Approximate bytes of memory that the batch uses; a view of a pushed buffer counts with its own
   * length.
   */
  get bytes(): number {
    return this.#points * pointBytes + this.#otherBytes;
  }

  /**
   * Called before the values of an event are kept; `offset` is the offset of the event's record.
   */
  beginEvent(offset: number): void {
    this.#offset = offset;
    this.#unfold.left = limits.maxRecordBytes;
    this.#blobsLeft = limits.maxValuesPerEvent;
  }

  /** Called after the last value of an event: counts the event and reports its dropped values. */
  endEvent(wallTime: number): void {
    this.seen(wallTime);
    for (const [reason, { count, detail }] of this.#notes) {
      const more = count > 1 ? ` And ${count - 1} more values in this event for the same reason.` : '';
      this.#problems.add({ offset: this.#offset, bytes: 0, reason, detail: detail + more, endsFile: false });
    }
    this.#notes.clear();
  }

  /** Counts a readable event. */
  seen(wallTime: number): void {
    this.#events++;
    if (wallTime > this.#lastWallTime && wallTime < Infinity) this.#lastWallTime = wallTime;
    if (wallTime < this.#firstWallTime && wallTime > -Infinity) this.#firstWallTime = wallTime;
    if (wallTime < this.#startWallTime && wallTime > 0) this.#startWallTime = wallTime;
  }

  problem(problem: FileProblem): void {
    this.#problems.add(problem);
  }

  /**
   * Records that a value of this event is dropped. This can happen 100,000 times per event; each
   * reason is reported once.
   */
  note(reason: FileProblemReason, detail: string): void {
    const note = this.#notes.get(reason);
    if (note) note.count++;
    else this.#notes.set(reason, { count: 1, detail });
  }

  keepScalar(series: Series, stepLow: number, stepHigh: number, wallTime: number, value: number): void {
    if (series.place < 0) this.#activate(series);
    series.appendScalar(stepLow, stepHigh, wallTime, value);
    this.#points++;
  }

  /**
   * Adds a value (null: without data) to its series, in the series' class if possible, otherwise to
   * its twin (data rule 3). A value without data becomes an empty tensor in a tensor series; in any
   * other series it is not a point, and is counted and reported.
   */
  keep(series: Series, event: EventScan, value: Reading | null): void {
    const { dataClass, listed } = series.meta;
    if (value === null && dataClass !== 'tensor') {
      if (series.place < 0) this.#activate(series);
      series.invalid++;
      this.note('value-without-data', `A value of ${shownTag(series.meta.tag)} has no data.`);
      return;
    }
    const reading = value ?? readNothing;
    if (series.place < 0) this.#activate(series);
    if (dataClass === 'scalar') {
      const scalar = reading.scalar();
      if (scalar !== null) {
        this.keepScalar(series, event.stepLow, event.stepHigh, event.wallTime, scalar.value);
        if (scalar.rounded) series.rounded++;
        return;
      }
    } else if (dataClass === 'blob_sequence') {
      const blobs = reading.blobs(series.rules);
      if (blobs !== null) {
        this.#keepBlobs(series, event, blobs);
        return;
      }
    }
    const tensor = reading.tensor(this.#unfold);
    if (tensor === null) {
      series.invalid++;
      this.note('tensor-too-large', `A tensor of ${shownTag(series.meta.tag)} is larger than ${limits.maxTensorBytes} bytes.`);
      return;
    }
    let into = series;
    if (dataClass !== 'tensor' || (listed && tensor.dtype === 'undecodable')) {
      series.mismatched++;
      into = series.twin ??= new Series(twinMetadata(series.meta));
      if (into.place < 0) this.#activate(into);
    }
    into.tensors.push({ ...this.#place(event), ...tensor });
    this.#points++;
    this.#otherBytes += objectBytes + tensor.data.length;
  }

  /** Keeps a fact about the run from a log message. */
  keepRunRecord(record: RunRecord): void {
    this.#run = mergeRunRecords(this.#run, record);
  }

  /** Keeps a SessionLog START with the number of points before it in each series. */
  keepStart(event: EventScan): void {
    const before = this.#starts.at(-1);
    // Two STARTs without points between them share the list, because a hostile file can have many
    // STARTs and many series.
    const shared = before !== undefined && this.#pointsAtLastStart === this.#points;
    const pointsBefore = shared ? before.pointsBefore : this.#active.map((series) => series.points);
    this.#pointsAtLastStart = this.#points;
    this.#starts.push({ ...this.#place(event), pointsBefore });
    this.#otherBytes += objectBytes + (shared ? 0 : 8 * pointsBefore.length);
  }

  /** Everything since the last call, with the record reader's counts for the same range. */
  take(framing: Framing): FileBatch {
    for (const problem of framing.problems) this.#problems.add(problem);
    const batch: FileBatch = {
      series: this.#active.map((series) => series.take()),
      starts: this.#starts,
      records: framing.records,
      events: this.#events,
      firstWallTime: this.#firstWallTime === Infinity ? null : this.#firstWallTime,
      startWallTime: this.#startWallTime === Infinity ? null : this.#startWallTime,
      lastWallTime: this.#lastWallTime === -Infinity ? null : this.#lastWallTime,
      run: this.#run,
      problems: this.#problems.take(),
    };
    this.#active = [];
    this.#starts = [];
    this.#events = 0;
    this.#startWallTime = Infinity;
    this.#firstWallTime = Infinity;
    this.#lastWallTime = -Infinity;
    this.#run = null;
    this.#points = 0;
    this.#otherBytes = 0;
    this.#pointsAtLastStart = -1;
    return batch;
  }

  #keepBlobs(series: Series, event: EventScan, blobs: Uint8Array[]): void {
    if (blobs.length > this.#blobsLeft) {
      series.invalid++;
      this.note('too-many-blobs', `With ${shownTag(series.meta.tag)} an event holds more than ${limits.maxValuesPerEvent} blobs.`);
      return;
    }
    const largest = blobs.find((blob) => blob.length > limits.maxBlobBytes);
    if (largest !== undefined) {
      series.invalid++;
      this.note(
        'blob-too-large',
        `A blob of ${shownTag(series.meta.tag)} has ${largest.length} bytes, the limit is ${limits.maxBlobBytes}.`,
      );
      return;
    }
    this.#blobsLeft -= blobs.length;
    series.blobSequences.push({ ...this.#place(event), blobs });
    this.#points++;
    this.#otherBytes += blobs.reduce((bytes, blob) => bytes + blob.length + objectBytes, objectBytes);
  }

  #place({ stepLow, stepHigh, wallTime }: EventScan): { offset: number; step: bigint; wallTime: number } {
    return { offset: this.#offset, step: int64(stepLow, stepHigh), wallTime };
  }

  #activate(series: Series): void {
    series.place = this.#active.push(series) - 1;
    this.#otherBytes += 2 * objectBytes;
  }
}
