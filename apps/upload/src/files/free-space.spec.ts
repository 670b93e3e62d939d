import { expect, it } from 'vitest';
import type { BlobStore } from '#blobs';
import { limits } from '#model';
import { FreeSpace } from './free-space.ts';

const spaceWith = (free: number | null) =>
  new FreeSpace({ freeBytes: () => Promise.resolve(free) } as Partial<BlobStore> as BlobStore, limits.minFreeDiskBytes);

it('rejects uploads as soon as less than the reserve is free', async () => {
  await expect(spaceWith(limits.minFreeDiskBytes).check()).resolves.toBeUndefined();
  await expect(spaceWith(limits.minFreeDiskBytes - 1).check()).rejects.toMatchObject({
    code: 'insufficient-storage',
    extra: { free_bytes: limits.minFreeDiskBytes - 1, reserve_bytes: limits.minFreeDiskBytes },
  });
});

it('accepts them if the store does not know how much is free', async () => {
  await expect(spaceWith(null).check()).resolves.toBeUndefined();
});
