import { resolve } from 'node:path';
import type { Config } from '#config';

/** The data folder that the settings name; a relative one counts from where the command was typed. */
export function dataFolder(config: Config): string {
  return resolve(process.env.INIT_CWD || process.cwd(), config.storage.dataDir);
}
