/*
 * A worker in a child process, for tests that kill it: works on one deletion until it is done.
 * Settings are JSON in DELETION_WORKER.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantId } from '#model';
import { workOnDeletion } from '../../apps/ingest/src/deletion/work-on-deletion.ts';
import { type BlobStoreOptions, openBlobStore } from '#blobs';
import { Store } from '#store';
import { armFailpoints } from '#telemetry';

/** Settings of the worker. */
export interface WorkerSettings {
  readonly appUrl: string;
  readonly ingestUrl: string;
  readonly blobs: BlobStoreOptions;
  readonly tenantId: TenantId;
  readonly deletionId: string;
  readonly failpoints: string;
  /** Maximum number of rows that a step removes. */
  readonly rowsAtOnce: number;
}

const settings = JSON.parse(process.env.DELETION_WORKER ?? '{}') as WorkerSettings;
const { appUrl, ingestUrl, tenantId, deletionId, rowsAtOnce } = settings;
armFailpoints(settings.failpoints);
const store = new Store({ appUrl, ingestUrl });
const blobs = await openBlobStore(settings.blobs);
/** Short, because the next worker waits for the lease. */
const bounds = { leaseMs: 300, retryMs: 50, rowsAtOnce };
for (;;) {
  const outcome = await workOnDeletion(store, blobs, { tenantId, deletionId }, bounds);
  if (outcome === 'done') break;
  const [row] = await store.withTenant(tenantId, ({ trx }) =>
    trx.selectFrom('deletion').select('finished_at').where('tenant_id', '=', tenantId).where('deletion_id', '=', deletionId).execute(),
  );
  if (row?.finished_at) break; // The previous worker died after its last step.
  await sleep(50);
}
await store.close();
