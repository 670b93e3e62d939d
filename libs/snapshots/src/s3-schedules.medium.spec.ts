import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BlobStore, openBlobStore } from '#blobs';
import { createTestBucket, describeWith, type TestBucket } from '#testing';
import { snapshotSchedules } from './testing/snapshot-schedules.ts';

/* PROPERTY_RUNS=10000 for a long run. */
const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 25);

describeWith(['s3'], 'snapshots in an S3 store', () => {
  let bucket: TestBucket;
  let blobs: BlobStore;

  beforeAll(async () => {
    bucket = await createTestBucket();
    blobs = await openBlobStore(bucket.options);
  });
  afterAll(async () => {
    await bucket?.drop();
  });

  it('returns one whole source to everyone and leaves one snapshot, in every schedule', { timeout: 7_200_000 }, async () => {
    await fc.assert(
      snapshotSchedules(async () => ({ blobs, conditional: true })),
      { numRuns },
    );
  });

  it('fails in some schedule without conditional writes', { timeout: 600_000 }, async () => {
    const property = snapshotSchedules(async () => ({ blobs, conditional: false }));
    const { failed } = await fc.check(property, { numRuns: 2000, seed: 1, endOnFailure: true });
    expect(failed).toBe(true);
  });
});
