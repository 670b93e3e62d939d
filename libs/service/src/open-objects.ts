import { join } from 'node:path';
import { type BlobStore, type BlobStoreOptions, openBlobStore } from '#blobs';
import type { Config } from '#config';
import type { Logger } from '#telemetry';
import { dataFolder } from './data-folder.ts';
import { missing } from './missing.ts';
import { StartFault } from './start-fault.ts';

/**
 * Where the settings say that objects are: in S3, or in a folder of the data folder, and then all processes are on one machine. Throws {@link StartFault}
 * when something is missing.
 */
export function objectsOf({ storage }: Config, dataDir: string): BlobStoreOptions {
  const { s3Endpoint: endpoint, s3Bucket: bucket, s3Region: region, s3Checksums: checksums, s3PublicEndpoint: publicEndpoint } = storage;
  if (endpoint === undefined) return { kind: 'folder', folder: join(dataDir, 'blobs') };
  const accessKeyId = storage.s3AccessKeyId ?? missing('PLOTLINE_S3_ACCESS_KEY_ID');
  const secretAccessKey = storage.s3SecretAccessKey ?? missing('PLOTLINE_S3_SECRET_ACCESS_KEY');
  return { kind: 's3', endpoint, bucket, region, accessKeyId, secretAccessKey, checksums, publicEndpoint };
}

/** Opens the object store of the settings. Throws {@link StartFault} on one that cannot be used. */
export async function openObjects(config: Config, logger: Logger): Promise<BlobStore> {
  try {
    return await openBlobStore(objectsOf(config, dataFolder(config)), (line) => logger.warn(line));
  } catch (error) {
    throw error instanceof Error ? new StartFault(error.message, { cause: error }) : error;
  }
}
