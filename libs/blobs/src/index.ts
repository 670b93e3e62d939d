export { BlobNotFound, BlobStore, type ByteRange } from './blob-store.ts';
export { FolderBlobStore } from './folder-blob-store.ts';
export { blobKey, originalBytes, originalKey, segmentKey, tensorKey } from './object-keys.ts';
