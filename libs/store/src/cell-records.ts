/**
 * Decodes chunk rows and their cells into columns, from the format of Postgres' `record_send` and
 * `array_send`. A record contains its number of fields and, for each field, its type, its length in
 * bytes (-1: null) and its bytes. An array contains its number of dimensions, whether it has nulls,
 * its type, the length and lower bound of each dimension, and each element with its length. All
 * numbers are big-endian.
 */
import type { BucketPieces } from './queries/points/downsample-scalars.ts';

/** Bytes before the first element of a one-dimensional array. */
const arrayHeader = 20;

/**
 * Decodes chunk records into pieces, one for each of their `cells` cells. A record's fields are the
 * first step, the stride, the number of points, and the arrays of `cellColumns` (scalar-chunks.ts),
 * which are null if a chunk does not have them. Steps and their differences must be exact as
 * numbers.
 */
export function decodeCells(bytes: Buffer, cellPoints: number, cells: number): BucketPieces {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const column = (): Float64Array => new Float64Array(cells);
  const [step, lastStep, minStep, maxStep] = [column(), column(), column(), column()];
  const [count, first, last, min, max, wallTime] = [column(), column(), column(), column(), column(), column()];
  const int64 = (place: number): number => view.getInt32(place) * 4294967296 + view.getUint32(place + 4);
  let at = 0;
  /** Skips a field. Returns where its bytes start, or -1 for null. */
  const field = (): number => {
    const length = view.getInt32(at + 4);
    const begin = at + 8;
    at = begin + Math.max(length, 0);
    return length < 0 ? -1 : begin;
  };
  /** Elements of four or eight bytes, each preceded by its length. NaN stands for null. */
  const floats = (into: Float64Array, from: number, length: number, array: number): void => {
    let element = array + arrayHeader;
    for (let i = from; i < from + length; i++) {
      const size = view.getInt32(element);
      into[i] = size < 0 ? Number.NaN : size === 8 ? view.getFloat64(element + 4) : view.getFloat32(element + 4);
      element += 4 + Math.max(size, 0);
    }
  };
  for (let cell = 0; cell < cells;) {
    at += 4; // the number of fields
    const chunkStep = int64(field());
    const strideAt = field();
    const stride = strideAt < 0 ? 0 : int64(strideAt); // without a stride, every cell has its steps
    const points = view.getInt32(field());
    const length = Math.ceil(points / cellPoints);
    const [firstSteps, lastSteps, minSteps, maxSteps] = [field(), field(), field(), field()];
    const [minAt, maxAt] = [field(), field()];
    for (let i = 0; i < length; i++) {
      const begin = i * cellPoints;
      const size = Math.min(cellPoints, points - begin);
      count[cell + i] = size;
      if (firstSteps < 0) {
        const int2 = arrayHeader + 6 * i + 4;
        step[cell + i] = chunkStep + stride * begin;
        lastStep[cell + i] = chunkStep + stride * (begin + size - 1);
        minStep[cell + i] = chunkStep + stride * (begin + view.getInt16(minAt + int2));
        maxStep[cell + i] = chunkStep + stride * (begin + view.getInt16(maxAt + int2));
      } else {
        const int8 = arrayHeader + 12 * i + 4;
        step[cell + i] = int64(firstSteps + int8);
        lastStep[cell + i] = int64(lastSteps + int8);
        minStep[cell + i] = int64(minSteps + int8);
        maxStep[cell + i] = int64(maxSteps + int8);
      }
    }
    floats(wallTime, cell, length, field());
    const narrow = [field(), field(), field(), field()];
    const wide = [field(), field(), field(), field()];
    const values = narrow[0]! < 0 ? wide : narrow;
    floats(first, cell, length, values[0]!);
    floats(last, cell, length, values[1]!);
    floats(min, cell, length, values[2]!);
    floats(max, cell, length, values[3]!);
    cell += length;
  }
  return { step, lastStep, count, first, last, min, max, minStep, maxStep, wallTime };
}
