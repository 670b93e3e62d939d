import { FolderBlobStore } from '#blobs';
import { parseTenantId } from '#model';
import { Store } from '#store';
import { armFailpoints } from '#telemetry';
import { workOnExport } from '../work-on-export.ts';

/**
 * A process that works on one export and dies where PLOTLINE_FAILPOINTS says: `node … <url of app>
 * <url of ingest> <folder> <tenant> <export>`.
 */
const [appUrl = '', ingestUrl = '', folder = '', tenant = '', exportId = ''] = process.argv.slice(2);
armFailpoints(process.env['PLOTLINE_FAILPOINTS']);
const store = new Store({ appUrl, appPoolSize: 1, ingestUrl, ingestPoolSize: 1 });
const bounds = { leaseMs: 1_500, retryMs: 0, maxAttempts: 5, maxClaims: 1_000, keepMs: 3_600_000 };
await workOnExport(store, await FolderBlobStore.open(folder), { tenantId: parseTenantId(tenant), exportId }, bounds);
await store.close();
