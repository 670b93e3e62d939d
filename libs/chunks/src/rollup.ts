import type { PointColumns } from '#model';
import { constantStride } from './int64-column.ts';

/** Points per cell of a chunk's two rollups. */
export type CellPoints = 64 | 512;

/**
 * A chunk's rollup: consecutive points in cells of `cellPoints`; the last cell has the remainder.
 * All columns have the length ceil(count / cellPoints). If the chunk's stride is constant, the
 * steps follow from the chunk's first step: cell c starts at point c · cellPoints, and its minimum
 * is `minAt[c]` points further. Otherwise, the steps are stored in columns.
 */
export interface Cells {
  readonly cellPoints: CellPoints;
  /** Points in all cells. */
  readonly count: number;
  /** Null where the stride is constant. */
  readonly firstStep: BigInt64Array | null;
  readonly lastStep: BigInt64Array | null;
  /**
   * Step of the earliest point with the cell's smallest (largest) value; null where the stride is
   * constant.
   */
  readonly minStep: BigInt64Array | null;
  readonly maxStep: BigInt64Array | null;
  /** Position of that point in the cell; null if the stride is not constant. */
  readonly minAt: Int16Array | null;
  readonly maxAt: Int16Array | null;
  /** Values of the first and the last point; can be NaN. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  /**
   * NaN is skipped, infinities count. NaN exactly where `allNaN` is 1. There, the position of the
   * minimum is the position of the cell's first point.
   */
  readonly min: Float64Array;
  readonly max: Float64Array;
  /** 1 for cells without a number: their min and max are null in the database. */
  readonly allNaN: Uint8Array;
  /**
   * Whether `first`, `last`, `min` and `max` are all exactly float32 (NaN is), so that they can be
   * stored as real[].
   */
  readonly float32: boolean;
  /** Wall time of the cell's first point. */
  readonly wall: Float64Array;
}

/** Both rollups of a chunk with rising steps. */
export function rollups(points: PointColumns): { cells64: Cells; cells512: Cells } {
  const cells64 = cellsOfPoints(points);
  return { cells64, cells512: coarsen(cells64) };
}

/**
 * One rollup of a chunk with rising steps. Cells of 512 are built from those of 64, so both always
 * agree.
 */
export function rollup(points: PointColumns, cellPoints: CellPoints): Cells {
  const cells64 = cellsOfPoints(points);
  return cellPoints === 64 ? cells64 : coarsen(cells64);
}

function cellsOfPoints(points: PointColumns): Cells {
  const { steps, wallTimes, values } = points;
  const count = steps.length;
  const cells = newCells(64, count, constantStride(steps) !== null);
  for (let cell = 0, from = 0; from < count; cell++, from += 64) {
    const to = Math.min(from + 64, count);
    let minAt = from;
    let maxAt = from;
    let min = Number.NaN;
    let max = Number.NaN;
    for (let i = from; i < to; i++) {
      const value = values[i]!;
      if (value !== value) continue;
      // Negated, so that the first number replaces NaN.
      if (!(value >= min)) {
        min = value;
        minAt = i;
      }
      if (!(value <= max)) {
        max = value;
        maxAt = i;
      }
    }
    cells.first[cell] = values[from]!;
    cells.last[cell] = values[to - 1]!;
    cells.min[cell] = min;
    cells.max[cell] = max;
    cells.allNaN[cell] = min === min ? 0 : 1;
    cells.wall[cell] = wallTimes[from]!;
    if (cells.minAt !== null && cells.maxAt !== null) {
      cells.minAt[cell] = minAt - from;
      cells.maxAt[cell] = maxAt - from;
    } else if (cells.firstStep && cells.lastStep && cells.minStep && cells.maxStep) {
      cells.firstStep[cell] = steps[from]!;
      cells.lastStep[cell] = steps[to - 1]!;
      cells.minStep[cell] = steps[minAt]!;
      cells.maxStep[cell] = steps[maxAt]!;
    }
  }
  return { ...cells, float32: isFloat32(cells) };
}

/** Cells of 512 points from cells of 64. */
function coarsen(fine: Cells): Cells {
  const ratio = 8;
  const fineCount = fine.first.length;
  const cells = newCells(512, fine.count, fine.firstStep === null);
  for (let cell = 0, from = 0; from < fineCount; cell++, from += ratio) {
    const to = Math.min(from + ratio, fineCount);
    let minCell = from;
    let maxCell = from;
    for (let i = from; i < to; i++) {
      if (fine.allNaN[i] === 1) continue;
      if (!(fine.min[i]! >= fine.min[minCell]!)) minCell = i;
      if (!(fine.max[i]! <= fine.max[maxCell]!)) maxCell = i;
    }
    cells.first[cell] = fine.first[from]!;
    cells.last[cell] = fine.last[to - 1]!;
    cells.min[cell] = fine.min[minCell]!;
    cells.max[cell] = fine.max[maxCell]!;
    cells.allNaN[cell] = fine.allNaN[minCell]!;
    cells.wall[cell] = fine.wall[from]!;
    if (cells.minAt !== null && cells.maxAt !== null) {
      cells.minAt[cell] = (minCell - from) * fine.cellPoints + fine.minAt![minCell]!;
      cells.maxAt[cell] = (maxCell - from) * fine.cellPoints + fine.maxAt![maxCell]!;
    } else if (cells.firstStep && cells.lastStep && cells.minStep && cells.maxStep) {
      cells.firstStep[cell] = fine.firstStep![from]!;
      cells.lastStep[cell] = fine.lastStep![to - 1]!;
      cells.minStep[cell] = fine.minStep![minCell]!;
      cells.maxStep[cell] = fine.maxStep![maxCell]!;
    }
  }
  return { ...cells, float32: isFloat32(cells) };
}

function newCells(cellPoints: CellPoints, count: number, regular: boolean): Omit<Cells, 'float32'> {
  const length = Math.ceil(count / cellPoints);
  return {
    cellPoints,
    count,
    firstStep: regular ? null : new BigInt64Array(length),
    lastStep: regular ? null : new BigInt64Array(length),
    minStep: regular ? null : new BigInt64Array(length),
    maxStep: regular ? null : new BigInt64Array(length),
    minAt: regular ? new Int16Array(length) : null,
    maxAt: regular ? new Int16Array(length) : null,
    first: new Float64Array(length),
    last: new Float64Array(length),
    min: new Float64Array(length),
    max: new Float64Array(length),
    allNaN: new Uint8Array(length),
    wall: new Float64Array(length),
  };
}

function isFloat32({ first, last, min, max }: Omit<Cells, 'float32'>): boolean {
  return [first, last, min, max].every((column) => column.every((value) => Object.is(Math.fround(value), value)));
}
