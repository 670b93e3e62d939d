import { createHash } from 'node:crypto';
import type { BlobSequenceValue, TensorValue } from '#model';
import type { ScalarPoint } from './parse-run.ts';

/** The hashes that `test/data/README.md` describes, in hexadecimal. */

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function scalarsHash(points: readonly ScalarPoint[]): string {
  return hashOf(points, 8, ({ value }, into, at) => into.writeDoubleBE(value, at));
}

export function tensorsHash(points: readonly TensorValue[]): string {
  return hashOf(points, 32, ({ data }, into, at) => into.write(sha256(data), at, 'hex'));
}

export function blobSequencesHash(points: readonly BlobSequenceValue[]): string {
  const hash = createHash('sha256');
  for (const point of points) {
    const header = place(point, 20);
    header.writeUInt32BE(point.blobs.length, 16);
    hash.update(header);
    for (const blob of point.blobs) hash.update(Buffer.from(sha256(blob), 'hex'));
  }
  return hash.digest('hex');
}

function hashOf<P extends { step: bigint; wallTime: number }>(
  points: readonly P[],
  bytes: number,
  write: (point: P, into: Buffer, at: number) => void,
): string {
  const hash = createHash('sha256');
  for (const point of points) {
    const row = place(point, 16 + bytes);
    write(point, row, 16);
    hash.update(row);
  }
  return hash.digest('hex');
}

function place({ step, wallTime }: { step: bigint; wallTime: number }, bytes: number): Buffer {
  const row = Buffer.alloc(bytes);
  row.writeBigInt64BE(step, 0);
  row.writeDoubleBE(wallTime, 8);
  return row;
}
