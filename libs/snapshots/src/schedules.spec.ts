import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import { snapshotSchedules } from './testing/snapshot-schedules.ts';

/* PROPERTY_RUNS=10000 for a long run. */
const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 300);

it('returns one whole source to everyone and leaves one snapshot, in every schedule', { timeout: 1_800_000 }, async () => {
  await fc.assert(
    snapshotSchedules(async () => ({ blobs: new MemoryBlobStore(), conditional: true })),
    { numRuns },
  );
});

it('fails in some schedule without conditional writes', { timeout: 600_000 }, async () => {
  const property = snapshotSchedules(async () => ({ blobs: new MemoryBlobStore(), conditional: false }));
  const { failed } = await fc.check(property, { numRuns: 2000, seed: 1 });
  expect(failed).toBe(true);
});
