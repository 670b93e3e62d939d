import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the disk usage of a folder in bytes, counted in blocks as `du` does; 0 if the folder does
 * not exist.
 */
export function diskBytes(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  const own = stat.blocks * 512;
  if (!stat.isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + diskBytes(join(path, name)), own);
}
