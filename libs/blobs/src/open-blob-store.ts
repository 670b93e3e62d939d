import type { BlobStore } from './blob-store.ts';
import { FolderBlobStore } from './folder-blob-store.ts';
import type { S3Options } from './s3-options.ts';

/** Where objects are kept. Plain data: a worker thread is given it and opens the store for itself. */
export type BlobStoreOptions = { readonly kind: 'folder'; readonly folder: string } | ({ readonly kind: 's3' } & S3Options);

/**
 * Opens the store; a folder is made when absent, a bucket is not. `onWarning` hears what the store cannot do that is done in another way, and, as
 * long as the store is used, what was left undone; it is told fixed sentences without names or keys. Throws, with what to do, when it cannot be used.
 */
export async function openBlobStore(options: BlobStoreOptions, onWarning: (line: string) => void = () => undefined): Promise<BlobStore> {
  if (options.kind === 'folder') return FolderBlobStore.open(options.folder);
  // The client library takes 30 MiB and a tenth of a second of every thread; who keeps objects in a folder does not pay for it.
  const { S3BlobStore } = await import('./s3-blob-store.ts');
  return S3BlobStore.open(options, onWarning);
}
