import { join } from 'node:path';
import { type BlobStore, FolderBlobStore } from '#blobs';
import type { Config } from '#config';
import { dataFolder } from './data-folder.ts';

/** The folder of objects where there is no S3: all processes then work on one machine. */
export function objectFolder(config: Config): string {
  return join(dataFolder(config), 'blobs');
}

/** Where the settings say that objects are. */
export function openObjects(config: Config): Promise<BlobStore> {
  return FolderBlobStore.open(objectFolder(config));
}
