/**
 * Rows of chunks with their cells in the form of Postgres' `record_send` and `array_send`, decoded into columns. A record is its number of fields and, for
 * each, its type, its length in bytes (-1: null) and its bytes; an array is its number of dimensions, whether it has nulls and its type, for each
 * dimension length and lower bound, then each element with its length. All numbers are big-endian.
 */
import type { BucketPieces } from './queries/downsample-scalars.ts';

/**
 * Decodes `cells` cells in all. Fields of a record: first step, stride, number of points, then the arrays first_step, last_step, min_step, max_step (null
 * where the stride is constant), min_at, max_at (null where not), first, first8, last, last8, min, min8, max, max8 (one of each two is null), wall.
 * `narrow`: every step, and every difference of two, is exact as a number.
 */
export function decodeCells(bytes: Buffer, cellPoints: number, cells: number, narrow: boolean): BucketPieces {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const steps: StepColumns = narrow ? new NumberSteps(view, cells) : new WideSteps(view, cells);
  const column = (): Float64Array => new Float64Array(cells);
  const [count, first, last, min, max, wallTime] = [column(), column(), column(), column(), column(), column()];
  let at = 0;
  /** Passes a field; where its bytes begin, -1 for null. */
  const field = (): number => {
    const length = view.getInt32(at + 4);
    const begin = at + 8;
    at = begin + Math.max(length, 0);
    return length < 0 ? -1 : begin;
  };
  const floats = (into: Float64Array, from: number, length: number, float4: number, float8: number): void => {
    const wide = float4 < 0;
    let element = (wide ? float8 : float4) + arrayHeader;
    for (let i = from; i < from + length; i++) {
      const size = view.getInt32(element);
      into[i] = size < 0 ? Number.NaN : wide ? view.getFloat64(element + 4) : view.getFloat32(element + 4);
      element += 4 + Math.max(size, 0);
    }
  };
  for (let cell = 0; cell < cells;) {
    at += 4;
    steps.enter(field(), field());
    const points = view.getInt32(field());
    const length = Math.ceil(points / cellPoints);
    const given = [field(), field(), field(), field()];
    const minAt = field();
    const maxAt = field();
    for (let i = 0; i < length; i++) {
      const begin = i * cellPoints;
      const size = Math.min(cellPoints, points - begin);
      count[cell + i] = size;
      if (minAt >= 0) {
        steps.reckon(0, cell + i, begin);
        steps.reckon(1, cell + i, begin + size - 1);
        steps.reckon(2, cell + i, begin + view.getInt16(minAt + arrayHeader + 6 * i + 4));
        steps.reckon(3, cell + i, begin + view.getInt16(maxAt + arrayHeader + 6 * i + 4));
      } else {
        for (let c = 0; c < 4; c++) steps.read(c, cell + i, given[c]! + arrayHeader + 12 * i + 4);
      }
    }
    floats(first, cell, length, field(), field());
    floats(last, cell, length, field(), field());
    floats(min, cell, length, field(), field());
    floats(max, cell, length, field(), field());
    floats(wallTime, cell, length, -1, field());
    cell += length;
  }
  const [step, lastStep, minStep, maxStep] = steps.columns;
  return { step: step!, lastStep: lastStep!, count, first, last, min, max, minStep: minStep!, maxStep: maxStep!, wallTime };
}

/** Bytes before the first element of an array of one dimension. */
const arrayHeader = 20;

/** The four columns of steps, in the order of {@link decodeCells}: step, last step, and those of minimum and maximum. */
interface StepColumns {
  readonly columns: readonly (Float64Array | BigInt64Array)[];
  /** Begins a chunk with first step and stride at these places; -1: it has none, and no step of it is reckoned. */
  enter(first: number, stride: number): void;
  /** The step of the chunk's point with this index. */
  reckon(column: number, cell: number, index: number): void;
  /** The step that stands there. */
  read(column: number, cell: number, at: number): void;
}

/** Steps as numbers: ten times as fast as BigInt. */
class NumberSteps implements StepColumns {
  readonly columns: readonly Float64Array[];
  readonly #view: DataView;
  #first = 0;
  #stride = 0;

  constructor(view: DataView, cells: number) {
    this.#view = view;
    this.columns = Array.from({ length: 4 }, () => new Float64Array(cells));
  }

  enter(first: number, stride: number): void {
    this.#first = this.#int64(first);
    this.#stride = stride < 0 ? 0 : this.#int64(stride);
  }

  reckon(column: number, cell: number, index: number): void {
    this.columns[column]![cell] = this.#first + this.#stride * index;
  }

  read(column: number, cell: number, at: number): void {
    this.columns[column]![cell] = this.#int64(at);
  }

  #int64(at: number): number {
    return this.#view.getInt32(at) * 4294967296 + this.#view.getUint32(at + 4);
  }
}

/** Steps that are not exact as numbers. */
class WideSteps implements StepColumns {
  readonly columns: readonly BigInt64Array[];
  readonly #view: DataView;
  #first = 0n;
  #stride = 0n;

  constructor(view: DataView, cells: number) {
    this.#view = view;
    this.columns = Array.from({ length: 4 }, () => new BigInt64Array(cells));
  }

  enter(first: number, stride: number): void {
    this.#first = this.#view.getBigInt64(first);
    this.#stride = stride < 0 ? 0n : this.#view.getBigInt64(stride);
  }

  reckon(column: number, cell: number, index: number): void {
    this.columns[column]![cell] = this.#first + this.#stride * BigInt(index);
  }

  read(column: number, cell: number, at: number): void {
    this.columns[column]![cell] = this.#view.getBigInt64(at);
  }
}
