import type { PointColumns } from '#model';
import type { ByteReader } from './bytes.ts';
import { readEntrySteps, tailFlag, wallForm } from './tail-columns.ts';

/** What is known of an entry of a block before its columns are read. */
export interface EntryColumns {
  readonly count: number;
  readonly flags: number;
}

/**
 * Reads the columns of the wanted entries only, null for the others; entries with the same steps share the column. Null, with the input
 * somewhere: the wall times are in a form in which all have to be read.
 */
export function readSelected(
  input: ByteReader,
  entries: readonly EntryColumns[],
  wanted: readonly boolean[],
): (PointColumns | null)[] | null {
  const steps: BigInt64Array[] = [];
  for (const { count, flags } of entries) steps.push(readEntrySteps(input, count, flags, steps.at(-1) ?? null));
  if (input.byte() !== wallForm.microseconds) return null;
  const wallTimes = selectMicroseconds(input, entries, wanted);
  const values = selectValues(input, entries, wanted);
  return entries.map((_, i) => (wanted[i] ? { steps: steps[i]!, wallTimes: wallTimes[i]!, values: values[i]! } : null));
}

function selectMicroseconds(input: ByteReader, entries: readonly EntryColumns[], wanted: readonly boolean[]): (Float64Array | null)[] {
  const ticks = new Float64Array(entries.reduce((most, { count }) => Math.max(most, count), 1));
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
