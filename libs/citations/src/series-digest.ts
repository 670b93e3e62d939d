import { createHash, type Hash } from 'node:crypto';
import type { DataClass, RunName, SeriesName, TagName } from '#model';

/** A blob of a blob sequence. */
export interface DigestedBlob {
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  readonly bytes: number;
}

const emptySha256 = createHash('sha256').digest('hex');
const quietNaN = 0x7ff8_0000_0000_0000n;
const scalarBytes = 24;
/** Number of points to hash at a time, which bounds a call's memory. */
const scalarsAtOnce = 16_384;

/** Thrown if a series' values are not in step order, or if two values have the same step. */
export class StepsNotRising extends Error {
  override readonly name = 'StepsNotRising';
}

/**
 * SHA-256 over the effective values of one series, in the canonical form of docs/snapshots.md. The
 * caller adds the values in step order.
 */
export class SeriesDigest {
  readonly run: RunName;
  readonly tag: TagName;
  readonly dataClass: DataClass;
  readonly #hash: Hash = createHash('sha256');
  #values = 0;
  #last: bigint | null = null;

  constructor({ run, tag }: SeriesName, dataClass: DataClass) {
    this.run = run;
    this.tag = tag;
    this.dataClass = dataClass;
  }

  /** Values that were added. */
  get values(): number {
    return this.#values;
  }

  scalars(steps: BigInt64Array, wallTimes: Float64Array, values: Float64Array): void {
    for (let from = 0; from < steps.length; from += scalarsAtOnce) {
      const to = Math.min(steps.length, from + scalarsAtOnce);
      const view = new DataView(new ArrayBuffer((to - from) * scalarBytes));
      for (let i = from, at = 0; i < to; i++, at += scalarBytes) {
        this.#follow(steps[i]!);
        view.setBigInt64(at, steps[i]!, true);
        setFloat(view, at + 8, wallTimes[i]!);
        setFloat(view, at + 16, values[i]!);
      }
      this.#hash.update(view);
    }
  }

  /**
   * `packed`: numbers are little-endian in C order; each string is a big-endian uint32 length
   * followed by its bytes.
   */
  tensor(step: bigint, wallTime: number, dtype: string, shape: readonly number[], packed: Uint8Array): void {
    this.#follow(step);
    const name = Buffer.from(dtype);
    const view = new DataView(new ArrayBuffer(16 + 4 + name.length + 4 + 8 * shape.length + 8));
    let at = place(view, step, wallTime);
    view.setUint32(at, name.length, true);
    new Uint8Array(view.buffer).set(name, at + 4);
    at += 4 + name.length;
    view.setUint32(at, shape.length, true);
    at += 4;
    for (const size of shape) {
      view.setBigInt64(at, BigInt(size), true);
      at += 8;
    }
    view.setBigUint64(at, BigInt(packed.length), true);
    this.#hash.update(view).update(packed);
  }

  /** Null for a blob that could not be stored, which counts as an empty blob. */
  blobs(step: bigint, wallTime: number, blobs: readonly (DigestedBlob | null)[]): void {
    this.#follow(step);
    const view = new DataView(new ArrayBuffer(16 + 4 + 40 * blobs.length));
    let at = place(view, step, wallTime);
    view.setUint32(at, blobs.length, true);
    at += 4;
    for (const blob of blobs) {
      view.setBigUint64(at, BigInt(blob?.bytes ?? 0), true);
      new Uint8Array(view.buffer).set(Buffer.from(blob?.sha256 ?? emptySha256, 'hex'), at + 8);
      at += 40;
    }
    this.#hash.update(view);
  }

  /** 64 hexadecimal digits. Called once, after the last value. */
  finish(): string {
    return this.#hash.digest('hex');
  }

  #follow(step: bigint): void {
    if (this.#last !== null && step <= this.#last)
      throw new StepsNotRising(`step ${step} of ${this.tag} in ${this.run} follows step ${this.#last}`);
    this.#last = step;
    this.#values++;
  }
}

function place(view: DataView, step: bigint, wallTime: number): number {
  view.setBigInt64(0, step, true);
  setFloat(view, 8, wallTime);
  return 16;
}

/** The payload of a NaN is not content, because several formats lose it. */
function setFloat(view: DataView, at: number, value: number): void {
  if (Number.isNaN(value)) view.setBigUint64(at, quietNaN, true);
  else view.setFloat64(at, value, true);
}
