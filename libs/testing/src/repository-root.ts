import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest parent folder that contains a `package.json`. */
export function repositoryRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
