import { existsSync } from 'node:fs';
import type { BlobStoreOptions } from '#blobs';
import type { Config } from '#config';
import { dataFolder, objectsOf, StartFault } from '#service';

/**
 * The configured object store. Throws {@link StartFault} if it is a folder that does not exist.
 * Otherwise, the folder would be created and every object would be reported as lost.
 */
export function objectsToCheck(config: Config): BlobStoreOptions {
  const objects = objectsOf(config, dataFolder(config));
  if (objects.kind === 'folder' && !existsSync(objects.folder))
    throw new StartFault(
      `There is no object folder at ${objects.folder}. Set PLOTLINE_DATA_DIR, or PLOTLINE_S3_ENDPOINT and the other S3 settings.`,
    );
  return objects;
}
