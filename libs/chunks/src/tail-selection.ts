import type { PointColumns } from '#model';
import type { ByteReader } from './bytes.ts';
import { int64Pairs, two32 } from './int64-column.ts';
import { readEntrySteps, tailFlag, wallForm } from './tail-columns.ts';

/** Properties of a block's entry that are known before its columns are read. */
export interface EntryColumns {
  readonly count: number;
  readonly flags: number;
}

/**
 * Reads only the columns of the wanted entries; the others are null. Entries with the same steps
 * share the column. Returns null, with the input at an undefined position, if the form of the wall
 * times requires reading all of them.
 */
export function readSelected(
  input: ByteReader,
  entries: readonly EntryColumns[],
  wanted: readonly boolean[],
): (PointColumns | null)[] | null {
  const steps: BigInt64Array[] = [];
  for (const { count, flags } of entries) steps.push(readEntrySteps(input, count, flags, steps.at(-1) ?? null));
  const form = input.byte();
  if (form !== wallForm.microseconds && form !== wallForm.bits) return null;
  const wallTimes = form === wallForm.bits ? selectBits(input, entries, wanted) : selectMicroseconds(input, entries, wanted);
  if (!wallTimes) return null;
  const values = selectValues(input, entries, wanted);
  return entries.map((_, i) => (wanted[i] ? { steps: steps[i]!, wallTimes: wallTimes[i]!, values: values[i]! } : null));
}

function selectMicroseconds(input: ByteReader, entries: readonly EntryColumns[], wanted: readonly boolean[]): (Float64Array | null)[] {
  const ticks = new Float64Array(maxPoints(entries));
  const last = wanted.lastIndexOf(true);
  const chosen: (Float64Array | null)[] = [];
  entries.forEach(({ count, flags }, i) => {
    if (i > last) {
      input.skipVarints(count);
      return;
    }
    input.addSigned(ticks, count, (flags & tailFlag.sameSteps) === 0);
    chosen.push(wanted[i] ? ticks.slice(0, count).map((tick) => tick / 1e6) : null);
  });
  return chosen;
}

/** Sums of integer differences are exact up to here. */
const maxSum = 2 ** 52;

/**
 * The bits of float64 numbers, as sums of differences from the first number. Null if a sum is too
 * large to be exact.
 */
function selectBits(input: ByteReader, entries: readonly EntryColumns[], wanted: readonly boolean[]): (Float64Array | null)[] | null {
  const first = input.bytes(8);
  const view = new DataView(first.buffer, first.byteOffset, 8);
  const [low, high] = [view.getUint32(0, true), view.getInt32(4, true)];
  const sums = new Float64Array(maxPoints(entries));
  const last = wanted.lastIndexOf(true);
  const chosen: (Float64Array | null)[] = [];
  for (const [i, { count, flags }] of entries.entries()) {
    const given = i === 0 ? 1 : 0; // the first one is stored before the differences
    if (i > last) {
      input.skipVarints(count - given);
      continue;
    }
    input.addSigned(given === 1 ? sums.subarray(1) : sums, count - given, (flags & tailFlag.sameSteps) === 0);
    const column = new Float64Array(wanted[i] ? count : 0);
    const pairs = int64Pairs(column);
    for (let n = 0; n < count; n++) {
      const sum = sums[n]!;
      if (sum > maxSum || sum < -maxSum) return null;
      if (!wanted[i]) continue;
      const sumOfLow = low + sum;
      const carry = Math.floor(sumOfLow / two32);
      pairs[2 * n] = sumOfLow - carry * two32;
      pairs[2 * n + 1] = high + carry;
    }
    chosen.push(wanted[i] ? column : null);
  }
  return chosen;
}

function maxPoints(entries: readonly EntryColumns[]): number {
  return entries.reduce((max, { count }) => Math.max(max, count), 1);
}

function selectValues(input: ByteReader, entries: readonly EntryColumns[], wanted: readonly boolean[]): (Float64Array | null)[] {
  const chosen: (Float64Array | null)[] = entries.map(() => null);
  for (const width of [4, 8]) {
    const isOne = ({ flags }: EntryColumns): boolean => (flags & tailFlag.float32 ? 4 : 8) === width;
    const total = entries.reduce((sum, entry) => sum + (isOne(entry) ? entry.count : 0), 0);
    const planes = input.bytes(total * width);
    let at = 0;
    entries.forEach((entry, i) => {
      if (!isOne(entry)) return;
      if (wanted[i]) chosen[i] = valuesAt(planes, total, at, entry.count, width);
      at += entry.count;
    });
  }
  return chosen;
}

function valuesAt(planes: Uint8Array, total: number, at: number, count: number, width: number): Float64Array {
  const bytes = new Uint8Array(count * width);
  for (let plane = 0; plane < width; plane++) {
    let from = plane * total + at;
    for (let i = plane; i < bytes.length; i += width) bytes[i] = planes[from++]!;
  }
  return width === 8 ? new Float64Array(bytes.buffer) : Float64Array.from(new Float32Array(bytes.buffer));
}
