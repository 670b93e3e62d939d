import { createTestBucket, describeWith } from '#testing';
import { S3BlobStore } from './s3-blob-store.ts';
import { blobStoreContract } from './testing/index.ts';

const silent = (): void => undefined;

describeWith(['s3'], 'an S3 bucket as blob store', () => {
  blobStoreContract('S3BlobStore', async () => {
    const bucket = await createTestBucket();
    const blobs = await S3BlobStore.open(bucket.options, silent);
    return {
      blobs,
      remove: async () => {
        blobs.close();
        await bucket.drop();
      },
    };
  });
});
