import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FolderBlobStore } from '#blobs';
import { snapshotSchedules } from './testing/snapshot-schedules.ts';

const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 100);

it('returns one whole source to everyone and leaves one snapshot in a folder, in every schedule', { timeout: 1_800_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plotline-snapshots-'));
  try {
    const blobs = await FolderBlobStore.open(folder);
    await fc.assert(
      snapshotSchedules(async () => ({ blobs, conditional: true })),
      { numRuns },
    );
    expect(await blobs.freeBytes()).toBeGreaterThan(0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
