import { resolve } from 'node:path';
import type { Config } from '#config';

/** The configured data folder; a relative path is relative to where the command was run. */
export function dataFolder(config: Config): string {
  return resolve(process.env.INIT_CWD || process.cwd(), config.storage.dataDir);
}
