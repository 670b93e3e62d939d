import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/**
 * The files below a folder with names that end with `ending`, as sorted relative paths; empty if
 * the folder does not exist.
 */
export async function filesBelow(folder: string, ending = ''): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
