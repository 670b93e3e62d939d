import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import { tenantIdOf } from '#model/testing';
import { frameRecords } from '#records/testing';
import { encodeOriginal } from './encode-original.ts';
import { OriginalDamaged } from './original-index.ts';
import { OriginalReader } from './original-reader.ts';

const tenant = tenantIdOf(randomUUID());
const key = 'original/1-1';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function join(bytes: Uint8Array, pieceSize = 700_000): Promise<MemoryBlobStore> {
  const blobs = new MemoryBlobStore();
  await blobs.putStream(tenant, key, () => encodeOriginal(inPieces(bytes, pieceSize)));
  return blobs;
}

async function read(blobs: MemoryBlobStore, start: number, end: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of (await OriginalReader.open(blobs, tenant, key)).read({ start, end })) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** A log of `count` scalar-like records. */
function scalarLog(count: number): Buffer {
  return Buffer.from(
    frameRecords(
      Array.from({ length: count }, (_, i) => {
        const data = Buffer.alloc(44 + (i % 3), 'tag of a scalar');
        data.writeDoubleLE(1_700_000_000 + i, 0);
        data.writeFloatLE(Math.fround(Math.sin(i)), 20);
        return data;
      }),
    ),
  );
}

const inputs: [string, Buffer][] = [
  ['nothing', Buffer.alloc(0)],
  ['a scalar log', scalarLog(60_000)],
  ['a log with a cut record at its end', scalarLog(100).subarray(0, -3)],
  [
    'a log with a record longer than a frame',
    Buffer.concat([scalarLog(10), frameRecords([Buffer.alloc(3_000_000, 'image')]), scalarLog(10)]),
  ],
  ['a log with a wrong data checksum', flip(scalarLog(30_000), 1_000_000 + 30)],
  ['a log with a wrong length', flip(scalarLog(30_000), 0)],
  ['noise', randomBytes(2_500_000)],
  ['zeros', Buffer.alloc(2_500_000)],
];

function flip(bytes: Buffer, at: number): Buffer {
  bytes[at]! ^= 1;
  return bytes;
}

describe('a joined original', () => {
  it.each(inputs)('returns the bytes of %s, whatever the pieces', async (_, bytes) => {
    for (const size of [bytes.length || 1, 65_536, 1_048_577]) {
      const blobs = await join(bytes, size);
      expect((await read(blobs, 0, bytes.length)).equals(bytes)).toBe(true);
    }
  });

  it('returns any range', async () => {
    const bytes = Buffer.concat([scalarLog(50_000), randomBytes(100_000)]);
    const blobs = await join(bytes);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), fc.nat(bytes.length), async (a, b) => {
        const [start, end] = a < b ? [a, b] : [b, a];
        expect((await read(blobs, start, end)).equals(bytes.subarray(start, end))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('takes a tenth of a scalar log', async () => {
    const bytes = scalarLog(50_000);
    const blobs = await join(bytes);
    expect((await blobs.has(tenant, key))!).toBeLessThan(bytes.length / 10);
  });

  it('has an index of any length', async () => {
    const bytes = Buffer.alloc(400 * 1024 * 1024);
    const blobs = await join(bytes, 16 * 1024 * 1024);
    expect((await read(blobs, bytes.length - 3, bytes.length)).equals(Buffer.alloc(3))).toBe(true);
    expect((await OriginalReader.open(blobs, tenant, key)).index).toMatchObject({ bytes: bytes.length });
  });

  it('detects every flipped bit', async () => {
    const bytes = Buffer.concat([scalarLog(200), randomBytes(300)]);
    const blobs = await join(bytes);
    const stored = blobs.objects.get(`${tenant}/${key}`)!;
    let silent = 0;
    for (let bit = 0; bit < stored.length * 8; bit++) {
      stored[bit >> 3]! ^= 1 << (bit & 7);
      try {
        // zstd has unused bits, so the result may be correct despite a flipped bit.
        if (!(await read(blobs, 0, bytes.length)).equals(bytes)) silent++;
      } catch (error) {
        if (!(error instanceof OriginalDamaged)) throw error;
      }
      stored[bit >> 3]! ^= 1 << (bit & 7);
    }
    expect(silent).toBe(0);
  });

  it('rejects an object that is truncated or another one', async () => {
    const blobs = await join(scalarLog(100));
    const stored = blobs.objects.get(`${tenant}/${key}`)!;
    for (const length of [0, 5, 27, stored.length - 1]) {
      await blobs.put(tenant, key, stored.subarray(0, length));
      await expect(OriginalReader.open(blobs, tenant, key)).rejects.toThrow(OriginalDamaged);
    }
  });
});
