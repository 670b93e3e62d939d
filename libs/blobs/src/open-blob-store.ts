import type { BlobStore } from './blob-store.ts';
import { FolderBlobStore } from './folder-blob-store.ts';
import type { S3Options } from './s3-options.ts';

/**
 * Where objects are stored. Plain data, so it can be passed to a worker thread, which opens the
 * store itself.
 */
export type BlobStoreOptions = { readonly kind: 'folder'; readonly folder: string } | ({ readonly kind: 's3' } & S3Options);

/**
 * Opens the store. Creates a missing folder, but not a missing bucket. Calls `onWarning` for store
 * limitations that we work around and, later, for failed cleanup; each warning is a fixed sentence
 * without names or keys. If the store cannot be used, throws an error that explains what to do.
 */
export async function openBlobStore(options: BlobStoreOptions, onWarning: (line: string) => void = () => undefined): Promise<BlobStore> {
  if (options.kind === 'folder') return FolderBlobStore.open(options.folder);
  // The client library needs 30 MiB and 0.1 s in every thread, so folder stores do not load it.
  const { S3BlobStore } = await import('./s3-blob-store.ts');
  return S3BlobStore.open(options, onWarning);
}
