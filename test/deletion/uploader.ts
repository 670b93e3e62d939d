/*
 * A child process that uploads, for tests that kill it: appends to one file until it dies, and
 * prints the end of each acknowledged range. Settings are JSON in DELETION_UPLOADER.
 */
import { writeSync } from 'node:fs';
import { type BlobStoreOptions, openBlobStore } from '#blobs';
import { type ExperimentId, type FileId, Problem } from '#model';
import { Store } from '#store';
import { armFailpoints } from '#telemetry';
import { DeletionWorld, type TestTenant } from '../../apps/ingest/src/testing/deletion-world.ts';
import { rangeAt } from './ranges.ts';

/** Settings of the uploader. */
export interface UploaderSettings {
  readonly appUrl: string;
  readonly blobs: BlobStoreOptions;
  readonly tenant: TestTenant;
  readonly experimentId: ExperimentId;
  readonly fileId: FileId;
  /** The durable offset. */
  readonly offset: number;
  readonly failpoints: string;
}

const { appUrl, blobs, tenant, experimentId, fileId, offset, failpoints } = JSON.parse(
  process.env.DELETION_UPLOADER ?? '{}',
) as UploaderSettings;
armFailpoints(failpoints);
const world = new DeletionWorld(new Store({ appUrl }), await openBlobStore(blobs));
/**
 * Null if the store was busy, e.g. with another upload to the experiment; if so, the uploader
 * retries.
 */
const busy = (error: unknown): null => {
  if (error instanceof Problem && error.code === 'store-unavailable') return null;
  throw error;
};
for (let at = offset; ;) {
  const bytes = rangeAt(fileId, at);
  const outcome = await world.append(tenant, experimentId, fileId, at, bytes).catch(busy);
  if (!outcome) continue;
  if (outcome.kind !== 'acknowledged') throw new Error(`the range at ${at} was not acknowledged: ${outcome.kind}`);
  at += bytes.length;
  writeSync(1, `${at}\n`); // Buffered output would be lost with the process.
}
