import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The package's root, from the source tree or from the build (dist/apps/read/src/web). */
const root = ['../../../../', '../../../../../']
  .map((up) => new URL(up, import.meta.url))
  .find((folder) => existsSync(new URL('package.json', folder)))!;

/** The path of a file or folder of the built pages, which may not exist. */
export function builtWeb(path: string): string {
  return fileURLToPath(new URL(`dist/web/${path}`, root));
}
