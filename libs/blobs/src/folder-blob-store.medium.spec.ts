import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderBlobStore } from './folder-blob-store.ts';
import { blobStoreContract } from './testing/index.ts';

const makeFolder = () => mkdtemp(join(tmpdir(), 'plotline-blobs-'));

blobStoreContract('FolderBlobStore', async () => {
  const folder = await makeFolder();
  return { blobs: await FolderBlobStore.open(folder), remove: () => rm(folder, { recursive: true }) };
});

describe('FolderBlobStore', () => {
  let folder: string;
  const tenant = randomUUID();
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('finds its objects after a restart', async () => {
    await (await FolderBlobStore.open(folder)).put(tenant, 'segment/7/0-3-364b3fb7', Buffer.from('abc'));
    const reopened = await FolderBlobStore.open(folder);
    expect((await reopened.get(tenant, 'segment/7/0-3-364b3fb7')).toString()).toBe('abc');
  });

  it('leaves no temporary files, and at start removes old ones but not those of a living writer', async () => {
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

  it('does not mix up keys that differ only in where the slash is', async () => {
    const blobs = await FolderBlobStore.open(folder);
    await blobs.put(tenant, 'segment/1/2-3', Buffer.from('a'));
    await blobs.put(tenant, 'segment/1-2-3', Buffer.from('b'));
    expect((await blobs.get(tenant, 'segment/1/2-3')).toString()).toBe('a');
  });

  it('goes on when its folders were removed under it', async () => {
    const blobs = await FolderBlobStore.open(folder);
    await blobs.put(tenant, 'original/7-3', Buffer.from('abc'));
    await rm(join(folder, tenant), { recursive: true });
    await blobs.put(tenant, 'original/7-3', Buffer.from('abc'));
    expect(await blobs.has(tenant, 'original/7-3')).toBe(3);
  });
});
