export { blobStoreContract } from './blob-store.contract.ts';
export { MemoryBlobStore } from './memory-blob-store.ts';
export { signedAt } from './signed-at.ts';
