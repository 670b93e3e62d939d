import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BlobStore, type BlobStoreOptions, openBlobStore } from '#blobs';
import { createTestBucket, type Part } from '#testing';

/** An object store for one test. */
export interface TestObjects {
  readonly options: BlobStoreOptions;
  readonly blobs: BlobStore;
  drop(): Promise<void>;
}

/** The kinds of object stores, and the parts that each needs besides a database. */
export const objectStores: readonly {
  readonly kind: string;
  readonly parts: readonly Part[];
  readonly open: () => Promise<TestObjects>;
}[] = [
  {
    kind: 'a folder',
    parts: ['postgres'],
    async open() {
      const folder = await mkdtemp(join(tmpdir(), 'plotline-deletion-'));
      const options = { kind: 'folder', folder } as const;
      return { options, blobs: await openBlobStore(options), drop: () => rm(folder, { recursive: true }) };
    },
  },
  {
    kind: 'S3',
    parts: ['postgres', 's3'],
    async open() {
      const bucket = await createTestBucket();
      return { options: bucket.options, blobs: await openBlobStore(bucket.options), drop: () => bucket.drop() };
    },
  },
];
