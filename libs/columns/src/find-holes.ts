/** The kinds of a {@link Hole}: a wall time, a step of 1 to 7 bytes, a value of four or eight. */
export const wallHole = 0;
export const longestStep = 7;
export const value4Hole = 8;
export const value8Hole = 9;

/** A part of the data that differs from record to record. */
export interface Hole {
  /** Position, from the start of the data. */
  readonly at: number;
  /** {@link wallHole}, {@link value4Hole}, {@link value8Hole}, or the bytes of a step. */
  readonly kind: number;
}

/** Bytes that a hole covers. */
export function holeBytes(kind: number): number {
  if (kind === wallHole || kind === value8Hole) return 8;
  return kind === value4Hole ? 4 : kind;
}

/** Maximum number of values in one template; events with more values are kept unchanged. */
export const maxValuesPerTemplate = 64;

/**
 * The holes of a scalar event, `bytes[start, end)`; null if the event contains anything else. A
 * wrong guess only costs compression, because a record is stored by a template only if the template
 * restores its bytes.
 */
export function findHoles(bytes: Uint8Array, start: number, end: number): Hole[] | null {
  const holes: Hole[] = [];
  let wall = false;
  let step = false;
  let at = start;
  while (at < end) {
    const key = bytes[at++]!;
    if (key === 0x09 && !wall && at + 8 <= end) {
      wall = true;
      holes.push({ at: at - start, kind: wallHole });
      at += 8;
    } else if (key === 0x10 && !step) {
      step = true;
      const length = varintBytes(bytes, at, end);
      if (length === 0 || length > longestStep) return null;
      holes.push({ at: at - start, kind: length });
      at += length;
    } else if (key === 0x2a) {
      const summaryEnd = lengthEnd(bytes, at, end);
      if (summaryEnd < 0) return null;
      at += varintBytes(bytes, at, end);
      if (!valuesOf(bytes, at, summaryEnd, start, holes)) return null;
      at = summaryEnd;
    } else return null;
  }
  return holes.length > 0 && holes.length <= maxValuesPerTemplate ? holes : null;
}

/** Summary{1 repeated Value}. */
function valuesOf(bytes: Uint8Array, from: number, end: number, start: number, holes: Hole[]): boolean {
  let at = from;
  while (at < end) {
    if (bytes[at++] !== 0x0a) return false;
    const valueEnd = lengthEnd(bytes, at, end);
    if (valueEnd < 0) return false;
    at += varintBytes(bytes, at, end);
    while (at < valueEnd) {
      const key = bytes[at++]!;
      if (key === 0x15) {
        if (at + 4 > valueEnd) return false;
        holes.push({ at: at - start, kind: value4Hole });
        at += 4;
        continue;
      }
      // Tag, node name, metadata, and the tensor, which is searched.
      if (key !== 0x0a && key !== 0x3a && key !== 0x4a && key !== 0x42) return false;
      const fieldEnd = lengthEnd(bytes, at, valueEnd);
      if (fieldEnd < 0) return false;
      at += varintBytes(bytes, at, valueEnd);
      if (key === 0x42 && !tensorHole(bytes, at, fieldEnd, start, holes)) return false;
      at = fieldEnd;
    }
  }
  return true;
}

/** TensorProto with one number, in `tensor_content`, `float_val` or `double_val`. */
function tensorHole(bytes: Uint8Array, from: number, end: number, start: number, holes: Hole[]): boolean {
  let at = from;
  while (at < end) {
    const key = bytes[at++]!;
    if (key === 0x2d || key === 0x31) {
      const width = key === 0x2d ? 4 : 8;
      if (at + width > end) return false;
      holes.push({ at: at - start, kind: width === 4 ? value4Hole : value8Hole });
      at += width;
    } else if (key === 0x08 || key === 0x18) {
      const length = varintBytes(bytes, at, end);
      if (length === 0) return false;
      at += length;
    } else if (key === 0x12 || key === 0x22 || key === 0x2a || key === 0x32) {
      const fieldEnd = lengthEnd(bytes, at, end);
      if (fieldEnd < 0) return false;
      at += varintBytes(bytes, at, end);
      if (key !== 0x12) {
        const width = fieldEnd - at;
        if (width !== 4 && width !== 8) return false;
        holes.push({ at: at - start, kind: width === 4 ? value4Hole : value8Hole });
      }
      at = fieldEnd;
    } else return false;
  }
  return true;
}

/** Bytes of the varint at `at`; 0 if it does not end before `end`. */
function varintBytes(bytes: Uint8Array, at: number, end: number): number {
  for (let i = at; i < end && i < at + 10; i++) if (bytes[i]! < 128) return i - at + 1;
  return 0;
}

/**
 * The end of a field whose length (at most two bytes) is at `at`; negative if it is beyond `end`.
 */
function lengthEnd(bytes: Uint8Array, at: number, end: number): number {
  const bytesOfLength = varintBytes(bytes, at, end);
  if (bytesOfLength === 0 || bytesOfLength > 2) return -1;
  const length = bytesOfLength === 1 ? bytes[at]! : (bytes[at]! & 127) | (bytes[at + 1]! << 7);
  const fieldEnd = at + bytesOfLength + length;
  return fieldEnd <= end ? fieldEnd : -1;
}
