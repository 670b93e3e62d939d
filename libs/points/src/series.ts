import { type BlobSequenceValue, emptyPoints, type SeriesBatch, type SeriesMeta, type TensorValue } from '#model';
import type { BlobRules } from './reading.ts';
import { audioPlugin, graphPartPlugins } from './summary-metadata.ts';

/**
 * Columns larger than this many points are released after a batch; smaller ones are reused. A
 * guess, not measured.
 */
const keptCapacity = 4096;
const firstCapacity = 16;

const encoder = new TextEncoder();

/** One series of the run and its points since the last batch. */
export class Series {
  readonly meta: SeriesMeta;
  /** The tag's bytes as in the file. */
  readonly tagBytes: Uint8Array;
  readonly isScalar: boolean;
  readonly rules: BlobRules;
  /** Keeps the values that do not have this series' class; created with the first such value. */
  twin: Series | null = null;
  /**
   * The series that followed this one last time: training loops keep logging their tags in the same
   * order.
   */
  next: Series | null = null;
  /** Index in the current batch, or -1 as long as the batch has no data for this series. */
  place = -1;

  tensors: TensorValue[] = [];
  blobSequences: BlobSequenceValue[] = [];
  invalid = 0;
  mismatched = 0;
  rounded = 0;

  #seenMetadata = new Uint8Array(0);
  #count = 0;
  #capacity = 0;
  #steps = new BigInt64Array(0);
  #stepHalves = new Int32Array(0);
  #wallTimes = new Float64Array(0);
  #values = new Float64Array(0);

  constructor(meta: SeriesMeta) {
    this.meta = meta;
    this.tagBytes = encoder.encode(meta.tag);
    this.isScalar = meta.dataClass === 'scalar';
    this.rules = { audio: meta.plugin === audioPlugin, graphPart: graphPartPlugins.has(meta.plugin) };
  }

  /**
   * Whether this is the metadata that was last found well-formed; some writers repeat it in every
   * value.
   */
  hasMetadata(buf: Uint8Array, start: number, end: number): boolean {
    const seen = this.#seenMetadata;
    if (seen.length !== end - start) return false;
    for (let i = 0; i < seen.length; i++) if (seen[i] !== buf[start + i]) return false;
    return true;
  }

  rememberMetadata(buf: Uint8Array, start: number, end: number): void {
    this.#seenMetadata = new Uint8Array(buf.subarray(start, end));
  }

  /** Number of points in the current batch. */
  get points(): number {
    return this.#count + this.tensors.length + this.blobSequences.length;
  }

  /**
   * Adds a scalar point. The step is given as two signed halves; every NaN becomes the same NaN
   * (data rule 5).
   */
  appendScalar(stepLow: number, stepHigh: number, wallTime: number, value: number): void {
    const at = this.#count;
    if (at === this.#capacity) this.#grow();
    this.#stepHalves[2 * at] = stepLow;
    this.#stepHalves[2 * at + 1] = stepHigh;
    this.#wallTimes[at] = wallTime === wallTime ? wallTime : NaN;
    this.#values[at] = value === value ? value : NaN;
    this.#count = at + 1;
  }

  /** Returns what was added since the last call. */
  take(): SeriesBatch {
    const count = this.#count;
    const batch: SeriesBatch = {
      meta: this.meta,
      scalars: this.isScalar ? this.#columns(count) : null,
      tensors: this.tensors,
      blobSequences: this.blobSequences,
      invalidPoints: this.invalid,
      mismatchedPoints: this.mismatched,
      roundedPoints: this.rounded,
    };
    this.#count = 0;
    if (this.#capacity > keptCapacity) this.#resize(0);
    // Always creates new lists, because the returned ones must not grow.
    this.tensors = [];
    this.blobSequences = [];
    this.invalid = 0;
    this.mismatched = 0;
    this.rounded = 0;
    this.place = -1;
    return batch;
  }

  #columns(count: number) {
    if (count === 0) return emptyPoints();
    return { steps: this.#steps.slice(0, count), wallTimes: this.#wallTimes.slice(0, count), values: this.#values.slice(0, count) };
  }

  #grow(): void {
    this.#resize(Math.max(firstCapacity, 2 * this.#capacity));
  }

  #resize(capacity: number): void {
    const { steps, wallTimes, values } = { steps: this.#steps, wallTimes: this.#wallTimes, values: this.#values };
    this.#capacity = capacity;
    this.#steps = new BigInt64Array(capacity);
    // Little-endian, like every platform that Node runs on: the low half comes first.
    this.#stepHalves = new Int32Array(this.#steps.buffer);
    this.#wallTimes = new Float64Array(capacity);
    this.#values = new Float64Array(capacity);
    if (this.#count === 0) return;
    this.#steps.set(steps);
    this.#wallTimes.set(wallTimes);
    this.#values.set(values);
  }
}
