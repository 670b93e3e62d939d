/* An upload in a process of its own, for tests that kill it: appends to one file until it dies, and says the end of what was acknowledged. Settings come as JSON in DELETION_UPLOADER. */
import { writeSync } from 'node:fs';
import { type BlobStoreOptions, openBlobStore } from '#blobs';
import { Problem } from '#model';
import { Store } from '#store';
import { armFailpoints } from '#telemetry';
import { DeletionWorld, type TestTenant } from '../../apps/ingest/src/testing/deletion-world.ts';
import { rangeAt } from './ranges.ts';

/** What the upload is told. */
export interface UploaderSettings {
  readonly appUrl: string;
  readonly blobs: BlobStoreOptions;
  readonly tenant: TestTenant;
  readonly experimentId: string;
  readonly fileId: string;
  /** The end of what is durable. */
  readonly offset: number;
  readonly failpoints: string;
}

const { appUrl, blobs, tenant, experimentId, fileId, offset, failpoints } = JSON.parse(
  process.env.DELETION_UPLOADER ?? '{}',
) as UploaderSettings;
armFailpoints(failpoints);
const world = new DeletionWorld(new Store({ appUrl }), await openBlobStore(blobs));
/** Nothing when the store was busy, as it is while another upload to the experiment holds it up: then a client tries again. */
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
  writeSync(1, `${at}\n`); // what is written later would die with the process
}
