import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32c } from '@node-rs/crc32';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileIdOf, tenantIdOf } from '#model/testing';
import { BlobDamaged } from './blob-store.ts';
import { FolderBlobStore } from './folder-blob-store.ts';
import { blobKey, segmentKey, tensorKey } from './object-keys.ts';
import { blobStoreContract } from './testing/index.ts';

const makeFolder = () => mkdtemp(join(tmpdir(), 'plotline-blobs-'));

blobStoreContract('FolderBlobStore', async () => {
  const folder = await makeFolder();
  return { blobs: await FolderBlobStore.open(folder), remove: () => rm(folder, { recursive: true }) };
});

describe('FolderBlobStore', () => {
  let folder: string;
  const tenant = tenantIdOf(randomUUID());
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('finds its objects after a restart', async () => {
    await (await FolderBlobStore.open(folder)).put(tenant, 'segment/7/0-3-364b3fb7', Buffer.from('abc'));
    const reopened = await FolderBlobStore.open(folder);
    expect((await reopened.get(tenant, 'segment/7/0-3-364b3fb7')).toString()).toBe('abc');
  });

  it('leaves no temporary files, and at start removes old ones except those of a live writer', async () => {
    const blobs = await FolderBlobStore.open(folder);
    await blobs.put(tenant, 'original/7-3', Buffer.from('abc'));
    expect(await readdir(join(folder, '.incoming'))).toEqual([]);
    await writeFile(join(folder, '.incoming', 'old'), 'x');
    await writeFile(join(folder, '.incoming', 'new'), 'x');
    const twoHoursAgo = new Date(Date.now() - 7_200_000);
    await utimes(join(folder, '.incoming', 'old'), twoHoursAgo, twoHoursAgo);
    await FolderBlobStore.open(folder);
    expect(await readdir(join(folder, '.incoming'))).toEqual(['new']);
  });

  it('detects every flipped bit of objects whose keys name their content (reliability test 7)', async () => {
    const blobs = await FolderBlobStore.open(folder);
    const bytes = randomBytes(3_000);
    const sha256 = createHash('sha256').update(bytes).digest();
    const segment = { fileId: fileIdOf('1'), offset: 0, length: bytes.length, crc32c: crc32c(bytes), coding: null };
    for (const key of [blobKey(sha256), tensorKey(sha256), segmentKey(segment)]) {
      await blobs.put(tenant, key, bytes);
      const entries = await readdir(join(folder, tenant), { recursive: true, withFileTypes: true });
      const [entry] = entries.filter((found) => found.isFile());
      const file = join(entry!.parentPath, entry!.name);
      for (let i = 0; i < 70; i++) {
        const flipped = Buffer.from(bytes);
        const bit = Math.floor(Math.random() * bytes.length * 8);
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        await writeFile(file, flipped);
        await expect(blobs.get(tenant, key), `${key}, bit ${bit}`).rejects.toThrow(BlobDamaged);
        await expect(blobs.stream(tenant, key).then(buffer), `${key}, bit ${bit}`).rejects.toThrow(BlobDamaged);
      }
      await blobs.delete(tenant, key);
    }
  });

  it('rewrites an object whose file was damaged', async () => {
    const blobs = await FolderBlobStore.open(folder);
    await blobs.put(tenant, 'segment/7/0-3-364b3fb7', Buffer.from('abc'));
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) await writeFile(join(entry.parentPath, entry.name), 'abd');
    await expect(blobs.get(tenant, 'segment/7/0-3-364b3fb7')).rejects.toThrow(BlobDamaged);
    await blobs.put(tenant, 'segment/7/0-3-364b3fb7', [Buffer.from('a'), Buffer.from('bc')]);
    expect((await blobs.get(tenant, 'segment/7/0-3-364b3fb7')).toString()).toBe('abc');
  });

  it('distinguishes keys that differ only in the position of the slash', async () => {
    const blobs = await FolderBlobStore.open(folder);
    await blobs.put(tenant, 'segment/1/2-3', Buffer.from('a'));
    await blobs.put(tenant, 'segment/1-2-3', Buffer.from('b'));
    expect((await blobs.get(tenant, 'segment/1/2-3')).toString()).toBe('a');
  });

  it('recreates its folders after they were removed', async () => {
    const blobs = await FolderBlobStore.open(folder);
    await blobs.put(tenant, 'original/7-3', Buffer.from('abc'));
    await rm(join(folder, tenant), { recursive: true });
    await blobs.put(tenant, 'original/7-3', Buffer.from('abc'));
    expect(await blobs.has(tenant, 'original/7-3')).toBe(3);
  });
});
