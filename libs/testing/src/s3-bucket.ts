import { randomBytes } from 'node:crypto';
import { CreateBucketCommand, DeleteBucketCommand, DeleteObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import type { BlobStoreOptions } from '#blobs';

/** How to reach an S3 server. */
export interface S3Access {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A bucket for one test. */
export interface TestBucket {
  /** Options for `openBlobStore`. */
  readonly options: Extract<BlobStoreOptions, { kind: 's3' }> & S3Access;
  /** Removes the bucket and its contents. */
  drop(): Promise<void>;
}

/** Creates a bucket on a server. */
export async function createBucket({ endpoint, region, accessKeyId, secretAccessKey }: S3Access): Promise<TestBucket> {
  const bucket = `plotline-test-${randomBytes(6).toString('hex')}`;
  const credentials = { accessKeyId, secretAccessKey };
  const withClient = async (work: (client: S3Client) => Promise<void>): Promise<void> => {
    const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    try {
      await work(client);
    } finally {
      client.destroy();
    }
  };
  await withClient(async (client) => void (await client.send(new CreateBucketCommand({ Bucket: bucket }))));
  return {
    options: { kind: 's3', endpoint, region, accessKeyId, secretAccessKey, bucket, checksums: 'when-supported' },
    drop: () => withClient((client) => dropBucket(client, bucket)),
  };
}

async function dropBucket(client: S3Client, bucket: string): Promise<void> {
  for (let more = true; more;) {
    const page = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    for (const { Key } of page.Contents ?? []) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
    more = page.IsTruncated === true;
  }
  await client.send(new DeleteBucketCommand({ Bucket: bucket }));
}
