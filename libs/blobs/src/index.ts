export { BlobDamaged, BlobNotFound, BlobStore, type ByteRange, type StoredObject } from './blob-store.ts';
export { namedInKey } from './content-check.ts';
export { FolderBlobStore } from './folder-blob-store.ts';
export { blobKey, newAttempt, originalBytes, originalKey, segmentKey, tensorKey } from './object-keys.ts';
export { type BlobStoreOptions, openBlobStore } from './open-blob-store.ts';
