import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ContentDigest } from './content-digest.ts';
import { SeriesDigest, StepsNotRising } from './series-digest.ts';

const sha256 = (...parts: readonly (string | Uint8Array)[]): string =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array))))
    .digest('hex');

function scalars(run: string, tag: string, ...points: readonly (readonly [step: bigint, wallTime: number, value: number])[]): SeriesDigest {
  const series = new SeriesDigest({ run, tag }, 'scalar');
  for (const [step, wallTime, value] of points) series.scalars(BigInt64Array.of(step), Float64Array.of(wallTime), Float64Array.of(value));
  return series;
}

function digestOf(...series: readonly SeriesDigest[]): string {
  const content = new ContentDigest();
  for (const one of series) content.add(one);
  return content.finish().digest;
}

describe('the content digest', () => {
  it('equals a computation by the definition in docs/snapshots.md', () => {
    const points = Buffer.alloc(48);
    points.writeBigInt64LE(-1n, 0);
    points.writeDoubleLE(1.5, 8);
    points.writeDoubleLE(-0, 16);
    points.writeBigInt64LE(7n, 24);
    points.writeDoubleLE(2.5, 32);
    points.set([0, 0, 0, 0, 0, 0, 0xf8, 0x7f], 40);
    const tensor = Buffer.alloc(16 + 4 + 7 + 4 + 8 + 8);
    tensor.writeBigInt64LE(3n, 0);
    tensor.writeDoubleLE(9, 8);
    tensor.writeUInt32LE(7, 16);
    tensor.write('float32', 20);
    tensor.writeUInt32LE(1, 27);
    tensor.writeBigInt64LE(1n, 31);
    tensor.writeBigUInt64LE(4n, 39);
    const blobs = Buffer.alloc(16 + 4 + 40);
    blobs.writeBigInt64LE(4n, 0);
    blobs.writeDoubleLE(9, 8);
    blobs.writeUInt32LE(1, 16);
    blobs.writeBigUInt64LE(3n, 20);
    blobs.set(createHash('sha256').update('png').digest(), 28);
    const lines = [
      `["a","x/\\"loss\\"","scalar",2,"${sha256(points)}"]\n`,
      `["a","t","tensor",1,"${sha256(tensor, Buffer.of(0, 0, 128, 63))}"]\n`,
      `["b","i","blob_sequence",1,"${sha256(blobs)}"]\n`,
    ];
    const expected = sha256('plotline-content 1\n', ...lines.sort());
    const t = new SeriesDigest({ run: 'a', tag: 't' }, 'tensor');
    t.tensor(3n, 9, 'float32', [1], Buffer.of(0, 0, 128, 63));
    const i = new SeriesDigest({ run: 'b', tag: 'i' }, 'blob_sequence');
    i.blobs(4n, 9, [{ sha256: sha256('png'), bytes: 3 }]);
    const content = new ContentDigest();
    for (const series of [i, scalars('a', 'x/"loss"', [-1n, 1.5, -0], [7n, 2.5, Number.NaN]), t]) content.add(series);
    expect(content.finish()).toEqual({ digest: expected, series: 3, scalars: 2, tensors: 1, blobSequences: 1 });
  });

  it('does not depend on the order of series, nor on how many points are added at once', () => {
    const steps = BigInt64Array.from({ length: 40_000 }, (_, i) => BigInt(i));
    const values = Float64Array.from(steps, (step) => Number(step) / 3);
    const whole = new SeriesDigest({ run: 'a', tag: 'x' }, 'scalar');
    whole.scalars(steps, values, values);
    const parts = new SeriesDigest({ run: 'a', tag: 'x' }, 'scalar');
    for (let from = 0; from < steps.length; from += 777)
      parts.scalars(steps.subarray(from, from + 777), values.subarray(from, from + 777), values.subarray(from, from + 777));
    const other = () => scalars('ä\u{1F600}', 'x', [1n, 1, 1]);
    const third = () => scalars('a\uFFFF', 'x', [1n, 1, 1]);
    expect(digestOf(whole, other(), third())).toBe(digestOf(third(), other(), parts));
  });

  it('changes with every value, step, time, name and class, and not with the payload of a NaN', () => {
    const base = digestOf(scalars('a', 'x', [1n, 2, 3]));
    const payload = new Float64Array(new BigUint64Array([0x7ff0_0000_0000_0001n]).buffer);
    const withPayload = new SeriesDigest({ run: 'a', tag: 'x' }, 'scalar');
    withPayload.scalars(BigInt64Array.of(1n), Float64Array.of(2), payload);
    expect(digestOf(withPayload)).toBe(digestOf(scalars('a', 'x', [1n, 2, Number.NaN])));
    const tensor = new SeriesDigest({ run: 'a', tag: 'x' }, 'tensor');
    tensor.tensor(1n, 2, 'float64', [], new Uint8Array(new Float64Array([3]).buffer));
    const others = [
      scalars('a', 'x', [1n, 2, 3.0000000000000004]),
      scalars('a', 'x', [2n, 2, 3]),
      scalars('a', 'x', [1n, 2.5, 3]),
      scalars('b', 'x', [1n, 2, 3]),
      scalars('a', 'y', [1n, 2, 3]),
      scalars('a', 'x', [0n, 2, 3], [1n, 2, 3]),
      tensor,
    ].map((series) => digestOf(series));
    expect(new Set([base, ...others]).size).toBe(8);
    expect(digestOf(scalars('a', 'x', [1n, 2, 3]), scalars('a', 'empty'))).toBe(base);
  });

  it('rejects values that are not ordered by step', () => {
    expect(() => scalars('a', 'x', [2n, 1, 1], [2n, 1, 1])).toThrow(StepsNotRising);
  });

  it('treats a blob that could not be stored as empty', () => {
    const [missing, empty] = [
      new SeriesDigest({ run: 'a', tag: 'i' }, 'blob_sequence'),
      new SeriesDigest({ run: 'a', tag: 'i' }, 'blob_sequence'),
    ];
    missing.blobs(1n, 1, [null]);
    empty.blobs(1n, 1, [{ sha256: sha256(''), bytes: 0 }]);
    expect(digestOf(missing)).toBe(digestOf(empty));
  });
});
