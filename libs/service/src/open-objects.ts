import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BlobStore, type BlobStoreOptions, openBlobStore } from '#blobs';
import { type Config, secretOf } from '#config';
import { dataFolder } from './data-folder.ts';
import { missing } from './missing.ts';
import type { Waiting } from './open-store.ts';
import { StartFault } from './start-fault.ts';

const maxWaitMs = 15_000;
const retryMs = 500;

/**
 * The configured location of objects: in S3, or in a subfolder of the data folder, in which case
 * all processes must be on one machine. Throws `ConfigFault` if something is missing.
 */
export function objectsOf(config: Config, dataDir: string): BlobStoreOptions {
  const { storage } = config;
  const { s3Endpoint: endpoint, s3Bucket: bucket, s3Region: region, s3Checksums: checksums, s3PublicEndpoint: publicEndpoint } = storage;
  if (endpoint === undefined) return { kind: 'folder', folder: join(dataDir, 'blobs') };
  const place = { kind: 's3', endpoint, bucket, region, checksums, publicEndpoint } as const;
  if (storage.s3Credentials === 'environment') return { ...place, credentials: 'environment' };
  const accessKeyId = secretOf(config, 'PLOTLINE_S3_ACCESS_KEY_ID') ?? missing('PLOTLINE_S3_ACCESS_KEY_ID');
  const secretAccessKey = secretOf(config, 'PLOTLINE_S3_SECRET_ACCESS_KEY') ?? missing('PLOTLINE_S3_SECRET_ACCESS_KEY');
  return { ...place, accessKeyId, secretAccessKey };
}

/**
 * Opens the configured object store, and retries for a while if the store is unusable. Throws
 * {@link StartFault} if that does not help. `readOnly`: the process only reads, so a read-only S3
 * key is sufficient.
 */
export async function openObjects(
  config: Config,
  { logger, interrupted }: Waiting,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): Promise<BlobStore> {
  const location = objectsOf(config, dataFolder(config));
  const options = location.kind === 's3' ? { ...location, readOnly } : location;
  const since = performance.now();
  for (let tries = 1; ; tries++) {
    try {
      return await openBlobStore(options, (line) => logger.warn(line));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (performance.now() - since > maxWaitMs) throw new StartFault(error.message, { cause: error });
      if (tries === 1) logger.warn('the object store is not available yet; waiting', { reason: error.message });
    }
    await sleep(retryMs, undefined, { signal: interrupted }).catch(() => interrupted?.throwIfAborted());
  }
}
