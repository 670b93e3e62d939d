import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of disk that the files below a folder take, in blocks, as `du` counts them. 0 for a folder that does not exist. */
export function diskBytes(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  const own = stat.blocks * 512;
  if (!stat.isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + diskBytes(join(path, name)), own);
}
