import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TenantId } from '#model';
import { fileIdOf, tenantIdOf } from '#model/testing';
import { BlobDamaged, BlobNotFound, type BlobStore } from '../blob-store.ts';
import { blobKey, segmentKey, tensorKey } from '../object-keys.ts';

/**
 * The contract of every blob store. `make` returns an empty store and a function that removes it.
 */
export function blobStoreContract(name: string, make: () => Promise<{ blobs: BlobStore; remove: () => Promise<void> }>): void {
  describe(name, () => {
    const tenant = tenantIdOf(randomUUID());
    const key = 'original/7-3'; // its key does not contain a hash, so any content may be put under it
    let blobs: BlobStore;
    let remove: () => Promise<void>;

    beforeEach(async () => {
      ({ blobs, remove } = await make());
    });
    afterEach(() => remove());

    it('returns the stored bytes', async () => {
      const bytes = randomBytes(100_000);
      await blobs.put(tenant, key, bytes);
      expect(await blobs.get(tenant, key)).toEqual(bytes);
      expect(await buffer(await blobs.stream(tenant, key))).toEqual(bytes);
      expect(await blobs.has(tenant, key)).toBe(100_000);
    });

    it('joins any number of pieces in order', async () => {
      const pieces = Array.from({ length: 3_000 }, (_, i) => Buffer.from(`${i},`));
      await blobs.put(tenant, key, pieces);
      expect(await blobs.get(tenant, key)).toEqual(Buffer.concat(pieces));
      expect(Buffer.concat(await blobs.getPieces(tenant, key))).toEqual(Buffer.concat(pieces));
    });

    it('accepts empty pieces and a known checksum', async () => {
      const pieces = ['', 'ab', '', 'c', ''].map((text) => Buffer.from(text));
      await blobs.put(tenant, key, pieces, { crc32c: 0x364b3fb7 });
      expect((await blobs.get(tenant, key)).toString()).toBe('abc');
    });

    it('stores an empty object', async () => {
      await blobs.put(tenant, key, []);
      expect(await blobs.has(tenant, key)).toBe(0);
      expect(await blobs.get(tenant, key)).toHaveLength(0);
      expect(Buffer.concat(await blobs.getPieces(tenant, key))).toHaveLength(0);
    });

    it('returns ranges, cut at the end of the object', async () => {
      await blobs.put(tenant, key, Buffer.from('0123456789'));
      const read = async (start: number, end: number) => [
        (await blobs.get(tenant, key, { start, end })).toString(),
        (await buffer(await blobs.stream(tenant, key, { start, end }))).toString(),
      ];
      expect(await read(2, 5)).toEqual(['234', '234']);
      expect(await read(8, 100)).toEqual(['89', '89']);
      expect(await read(4, 4)).toEqual(['', '']);
    });

    it('accepts the same object again, also from several writers at once', async () => {
      const bytes = randomBytes(50_000);
      await Promise.all(Array.from({ length: 8 }, () => blobs.put(tenant, key, bytes)));
      await blobs.put(tenant, key, bytes);
      expect(await blobs.get(tenant, key)).toEqual(bytes);
    });

    it('creates an object for one of several writers, and never replaces it', async () => {
      const writers = Array.from({ length: 8 }, (_, i) => Buffer.from(`writer ${i}`));
      const results = await Promise.all(writers.map((bytes) => blobs.putIfAbsent(tenant, key, bytes)));
      expect(results.filter(Boolean)).toHaveLength(1);
      const winner = writers[results.indexOf(true)]!;
      expect(await blobs.get(tenant, key)).toEqual(winner);
      // The response may have been lost, so the writer retries.
      expect(await blobs.putIfAbsent(tenant, key, winner)).toBe(true);
      expect(await blobs.putIfAbsent(tenant, key, Buffer.from('later'))).toBe(false);
      expect(await blobs.get(tenant, key)).toEqual(winner);
    });

    it('writes a stream and returns its length', async () => {
      const pieces = Array.from({ length: 20 }, () => randomBytes(70_000));
      const written = await blobs.putStream(tenant, key, async function* () {
        yield* pieces;
      });
      expect(written).toBe(1_400_000);
      expect(await blobs.get(tenant, key)).toEqual(Buffer.concat(pieces));
    });

    it('stores nothing of a stream that fails', async () => {
      const failing = async function* () {
        yield randomBytes(70_000);
        throw new Error('cut');
      };
      await expect(blobs.putStream(tenant, key, failing)).rejects.toThrow('cut');
      expect(await blobs.has(tenant, key)).toBeNull();
    });

    it.each([
      ['a segment', segmentKey({ fileId: fileIdOf('7'), offset: 0, length: 3, crc32c: 0x364b3fb7, coding: null })],
      ['a blob', blobKey(createHash('sha256').update('abc').digest())],
      ['a tensor', tensorKey(createHash('sha256').update('abc').digest())],
    ])('verifies %s against its key when it is read whole', async (_, named) => {
      await blobs.put(tenant, named, Buffer.from('abc'));
      expect((await blobs.get(tenant, named)).toString()).toBe('abc');
      expect((await buffer(await blobs.stream(tenant, named))).toString()).toBe('abc');
      await blobs.delete(tenant, named);
      await blobs.put(tenant, named, Buffer.from('abd'));
      await expect(blobs.get(tenant, named)).rejects.toThrow(BlobDamaged);
      await expect(blobs.getPieces(tenant, named)).rejects.toThrow(BlobDamaged);
      await expect(blobs.stream(tenant, named).then(buffer)).rejects.toThrow(BlobDamaged);
    });

    it('reports a missing object', async () => {
      expect(await blobs.has(tenant, key)).toBeNull();
      await expect(blobs.get(tenant, key)).rejects.toThrow(BlobNotFound);
      await expect(blobs.stream(tenant, key)).rejects.toThrow(BlobNotFound);
    });

    it('deletes, also twice', async () => {
      await blobs.put(tenant, key, Buffer.from('x'));
      await blobs.delete(tenant, key);
      await blobs.delete(tenant, key);
      expect(await blobs.has(tenant, key)).toBeNull();
    });

    it('separates tenants', async () => {
      await blobs.put(tenant, key, Buffer.from('mine'));
      const other = tenantIdOf(randomUUID());
      expect(await blobs.has(other, key)).toBeNull();
      await blobs.delete(other, key);
      await blobs.put(other, key, Buffer.from('theirs'));
      expect((await blobs.get(tenant, key)).toString()).toBe('mine');
    });

    it.each([
      '',
      'blob',
      '/etc/passwd',
      'blob/..',
      'blob/../x',
      'blob/a.b',
      'blob//x',
      'blob/x/',
      'Blob/x',
      'blob/a/b/c',
      'blob/\0',
      'blob/x\n',
    ])('rejects %j as a key', async (bad) => {
      await expect(blobs.put(tenant, bad, Buffer.from('x'))).rejects.toThrow(RangeError);
      await expect(blobs.get(tenant, bad)).rejects.toThrow(RangeError);
      await expect(blobs.has(tenant, bad)).rejects.toThrow(RangeError);
      await expect(blobs.delete(tenant, bad)).rejects.toThrow(RangeError);
    });

    it.each(['', '..', 'x', `${randomUUID()}/`, `../${randomUUID()}`])('rejects %j as a tenant', async (bad) => {
      await expect(blobs.put(tenantIdOf(bad), key, Buffer.from('x'))).rejects.toThrow(RangeError);
      await expect(blobs.get(tenantIdOf(bad), key)).rejects.toThrow(RangeError);
    });

    it('lists the objects of a tenant, and of all tenants', async () => {
      const other = tenantIdOf(randomUUID());
      await blobs.put(tenant, 'segment/7/0-3-364b3fb7', Buffer.from('abc'));
      await blobs.put(tenant, 'segment/71/0-3-364b3fb7', Buffer.from('abc'));
      await blobs.put(tenant, 'original/7-3', Buffer.from('abcd'));
      await blobs.put(other, 'original/7-3', Buffer.from('x'));
      const list = async (owner: TenantId | null, prefix: string) => {
        const found = [];
        for await (const object of blobs.list(owner, prefix)) found.push(object);
        return found.map((object) => `${object.tenantId === tenant ? 'mine' : 'theirs'} ${object.key} ${object.bytes}`).sort();
      };
      expect(await list(tenant, '')).toEqual(['mine original/7-3 4', 'mine segment/7/0-3-364b3fb7 3', 'mine segment/71/0-3-364b3fb7 3']);
      expect(await list(tenant, 'segment/7')).toHaveLength(2);
      expect(await list(tenant, 'segment/7/')).toEqual(['mine segment/7/0-3-364b3fb7 3']);
      expect(await list(tenant, 'seg')).toHaveLength(2);
      expect(await list(tenant, 'blob/')).toEqual([]);
      expect(await list(null, 'original/')).toEqual(['mine original/7-3 4', 'theirs original/7-3 1']);
      expect(await list(tenantIdOf(randomUUID()), '')).toEqual([]);
    });

    it('lists when an object was written', async () => {
      const before = Date.now();
      await blobs.put(tenant, key, Buffer.from('abc'));
      for await (const { modifiedAt } of blobs.list(tenant, '')) {
        // A store's timestamps may have a resolution of seconds and come from a different clock on
        // the same machine.
        expect(modifiedAt.getTime()).toBeGreaterThanOrEqual(before - 2_000);
        expect(modifiedAt.getTime()).toBeLessThanOrEqual(Date.now() + 2_000);
      }
    });

    it('returns the time that it dates objects by', async () => {
      expect(Math.abs((await blobs.now()).getTime() - Date.now())).toBeLessThan(10_000);
    });

    it('has addresses for all objects, or for none', async () => {
      await blobs.put(tenant, key, Buffer.from('abc'));
      const asked = { expiresInSeconds: 60, contentType: 'image/png', disposition: 'attachment; filename="a.bin"' };
      const address = await blobs.presign(tenant, key, asked);
      if (address !== null) {
        const response = await fetch(address);
        expect(await response.text()).toBe('abc');
        expect([response.headers.get('content-type'), response.headers.get('content-disposition')]).toEqual([
          asked.contentType,
          asked.disposition,
        ]);
        // Only the response shows whether an object exists.
        expect((await fetch((await blobs.presign(tenant, 'original/8-3', asked))!)).status).toBe(404);
      }
      await expect(blobs.presign(tenant, 'blob/..', asked)).rejects.toThrow(RangeError);
      await expect(blobs.presign(tenantIdOf('..'), key, asked)).rejects.toThrow(RangeError);
    });

    it('returns its free bytes, or null if unknown', async () => {
      const free = await blobs.freeBytes();
      expect(free === null || free > 0).toBe(true);
    });
  });
}
