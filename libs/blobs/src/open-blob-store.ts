import type { BlobStore } from './blob-store.ts';
import { FolderBlobStore } from './folder-blob-store.ts';
import type { S3Options } from './s3-options.ts';

/**
 * Location of the objects. Plain data: it can be passed to a worker thread, which opens the store
 * itself.
 */
export type BlobStoreOptions = { readonly kind: 'folder'; readonly folder: string } | ({ readonly kind: 's3' } & S3Options);

/**
 * Opens the store; creates a folder if absent, but not a bucket. `onWarning` is called for
 * limitations of the store that are worked around and, later, for failed cleanup; its lines are
 * fixed sentences without names or keys. If the store cannot be used, throws an error that explains
 * what to do.
 */
export async function openBlobStore(options: BlobStoreOptions, onWarning: (line: string) => void = () => undefined): Promise<BlobStore> {
  if (options.kind === 'folder') return FolderBlobStore.open(options.folder);
  // The client library needs 30 MiB and 0.1 s in every thread, so folder stores do not load it.
  const { S3BlobStore } = await import('./s3-blob-store.ts');
  return S3BlobStore.open(options, onWarning);
}
