import { blobStoreContract, MemoryBlobStore } from './testing/index.ts';

blobStoreContract('MemoryBlobStore', async () => ({ blobs: new MemoryBlobStore(), remove: async () => undefined }));
