import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import { parseTenantId } from '#model';
import { compressions } from './compression.ts';
import { fingerprintOf } from './fingerprint.ts';
import { SnapshotDamaged } from './read-splits.ts';
import { findSnapshot, snapshot, type SnapshotOptions } from './snapshot.ts';

const elements = Array.from({ length: 1000 }, (_, i) => Buffer.from(`element ${i} ${'x'.repeat(i % 50)}`));
async function* source() {
  yield* elements;
}
async function all(items: AsyncIterable<Uint8Array>): Promise<string[]> {
  const found: string[] = [];
  for await (const item of items) found.push(Buffer.from(item).toString());
  return found;
}
const texts = elements.map(String);

function world(more: Partial<SnapshotOptions> = {}) {
  const blobs = new MemoryBlobStore();
  const clock = { ms: 0 };
  const options: SnapshotOptions = {
    blobs,
    tenantId: parseTenantId(randomUUID()),
    now: async () => clock.ms,
    fingerprint: fingerprintOf('test'),
    chunkBytes: 1000,
    ...more,
  };
  return { blobs, clock, options, open: (over: Partial<SnapshotOptions> = {}) => snapshot(source, { ...options, ...over }) };
}

describe('findSnapshot', () => {
  it.each([1, 2, 3, 4])('reads from any element on, divided into %i splits', async (splits) => {
    const { open, options } = world({ writer: { splits } });
    expect(await findSnapshot(options)).toBeNull();
    await all((await open()).elements);
    const stored = (await findSnapshot(options))!;
    expect(stored.elements).toBe(texts.length);
    const places = [0, 1, 2, 3, 4, 5, 397, 998, 999, 1000];
    for (const from of places)
      for (const to of places.filter((one) => one >= from)) expect(await all(stored.read(from, to))).toEqual(texts.slice(from, to));
  });

  it('fetches only the chunks that it reads', async () => {
    const { open, options, blobs } = world();
    await all((await open()).elements);
    const stored = (await findSnapshot(options))!;
    // Each of the four splits has its first and its second chunk
    const chunks = [...blobs.objects.keys()].filter((one) => /-\d{8}$/.test(one)).toSorted();
    const read: string[] = [];
    const get = blobs.get.bind(blobs);
    blobs.get = async (tenant, key) => {
      read.push(key);
      return get(tenant, key);
    };
    expect(await all(stored.read(2, 8))).toEqual(texts.slice(2, 8));
    expect(read.map((key) => `${options.tenantId}/${key}`).toSorted()).toEqual(chunks.slice(0, 4));
    for (const key of chunks.slice(0, 4)) blobs.objects.delete(key);
    expect(await all(stored.read(900, 1000))).toEqual(texts.slice(900));
    await expect(all(stored.read(0, 1))).rejects.toThrow(SnapshotDamaged);
  });
});

describe('snapshot', () => {
  it.each([...compressions, 'auto'] as const)('writes first and reads the same later, with %s', async (compression) => {
    const { open } = world({ compression });
    const first = await open();
    expect(first.state).toBe('WRITE');
    expect(await all(first.elements)).toEqual(texts);
    expect(first.isFinal).toBe(true);
    const second = await open();
    expect(second.state).toBe('READ');
    expect(await all(second.elements)).toEqual(texts);
  });

  it('passes elements through while another run writes, and stores nothing', async () => {
    const { open, blobs } = world();
    const writing = await open();
    const passing = await open();
    expect(passing.state).toBe('PASSTHROUGH');
    expect(await all(passing.elements)).toEqual(texts);
    expect([...blobs.objects.keys()]).toHaveLength(1); // the claim
    await all(writing.elements);
    expect((await open()).state).toBe('READ');
  });

  it('is taken over when its lease expires, and the late run deletes what it wrote', async () => {
    const { open, clock, blobs } = world();
    const slow = await open();
    clock.ms = 86_400_000;
    expect((await open()).state).toBe('PASSTHROUGH');
    clock.ms++;
    const next = await open();
    expect(next.state).toBe('WRITE');
    expect(await all(slow.elements)).toEqual(texts);
    expect(slow.isFinal).toBe(false);
    await all(next.elements);
    expect(next.isFinal).toBe(true);
    const chunks = [...blobs.objects.keys()].filter((key) => /\/\d+-[0-9a-f]{16}-\d{8}$/.test(key));
    expect(chunks.every((key) => key.includes('/1-'))).toBe(true);
    expect(await all((await open()).elements)).toEqual(texts);
  });

  it('stores nothing of a source that fails or is abandoned, and the next run writes at once', async () => {
    const { options, open, blobs } = world();
    const failing = await snapshot(async function* () {
      yield* elements.slice(0, 500);
      throw new Error('cut');
    }, options);
    await expect(all(failing.elements)).rejects.toThrow('cut');
    const left = await open();
    expect(left.state).toBe('WRITE');
    for await (const _ of left.elements) break;
    expect([...blobs.objects.keys()].filter((key) => key.includes('-00000'))).toEqual([]);
    expect((await open()).state).toBe('WRITE');
  });

  it('divides by index by default, and returns every element once', async () => {
    const { open } = world({ writer: { splits: 3, splitOf: (_, element) => element.length % 3 } });
    await all((await open()).elements);
    expect((await all((await open()).elements)).sort()).toEqual(texts.toSorted());
  });

  it('reads in an order that the seed alone determines', async () => {
    const { open } = world({ writer: { splits: 8 } });
    await all((await open()).elements);
    const read = async (shuffleSeed: number) => all((await open({ reader: { shuffleSeed } })).elements);
    expect(await read(1)).toEqual(await read(1));
    expect(await read(1)).not.toEqual(await read(2));
    expect((await read(1)).sort()).toEqual(texts.toSorted());
  });

  it('names a damaged, truncated or missing chunk, and returns no partial data', async () => {
    for (const harm of ['flip', 'cut', 'delete'] as const) {
      const { open, blobs } = world();
      await all((await open()).elements);
      const key = [...blobs.objects.keys()].find((name) => name.endsWith('-00000003'))!;
      const bytes = Buffer.from(blobs.objects.get(key)!);
      if (harm === 'delete') blobs.objects.delete(key);
      else blobs.objects.set(key, harm === 'cut' ? bytes.subarray(1) : (bytes.writeUInt8(bytes[9]! ^ 1, 9), bytes));
      const reading = all((await open()).elements);
      await expect(reading).rejects.toThrow(SnapshotDamaged);
      await expect(reading).rejects.toThrow(key.slice(37));
    }
  });

  it('stores a source without elements', async () => {
    const { options } = world();
    const empty = () => (async function* (): AsyncGenerator<Uint8Array> {})();
    await all((await snapshot(empty, options)).elements);
    const again = await snapshot(empty, options);
    expect(again.state).toBe('READ');
    expect(await all(again.elements)).toEqual([]);
  });

  it('reads several splits in parallel', async () => {
    const { options, open } = world({ writer: { splits: 4 } });
    await all((await open()).elements);
    let running = 0;
    let max = 0;
    const blobs = Object.create(options.blobs) as MemoryBlobStore;
    blobs.get = async (...args) => {
      max = Math.max(max, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return options.blobs.get(...args);
    };
    expect(await all((await open({ blobs })).elements)).toEqual(texts);
    expect(max).toBe(4);
  });
});

describe('fingerprintOf', () => {
  it('is the same for equal content in any order, and different otherwise', () => {
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof({ maxDepth: 3 }, fc.string(), fc.integer(), fc.boolean(), fc.array(tie('any')), fc.dictionary(fc.string(), tie('any'))),
    })).any;
    fc.assert(
      fc.property(fc.array(value), (list) => {
        expect(fingerprintOf(list.toReversed() as never)).toBe(fingerprintOf(list as never));
      }),
    );
    expect(fingerprintOf({ runs: ['b', 'a'], format: 'parquet' })).toBe(fingerprintOf({ format: 'parquet', runs: ['a', 'b'] }));
    const distinct = [['a', 'b'], ['a,b'], [['a'], 'b'], { a: 'b' }, 'a', 1, 1n, '1', -0, 0, null, 'null', [], {}, true];
    expect(new Set(distinct.map((one) => fingerprintOf(one as never))).size).toBe(distinct.length);
  });
});
