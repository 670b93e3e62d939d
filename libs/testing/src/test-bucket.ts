import { inject } from 'vitest';
import { createBucket, type TestBucket } from './s3-bucket.ts';
import './global-setup.ts'; // For the types of provided values.

/** A new bucket on the S3 server that all suites share. `drop` it in `afterAll`. */
export async function createTestBucket(): Promise<TestBucket> {
  const s3 = inject('s3');
  if (!s3) throw new Error('This suite needs S3: put it into describeWith(["s3"], …).');
  return createBucket(s3);
}
