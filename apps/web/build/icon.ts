import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Puts the icon of the pages among their files: no script names it, the server's HTML does. */
export function icon(): Plugin {
  return {
    name: 'icon',
    apply: 'build',
    async buildStart() {
      this.emitFile({ type: 'asset', name: 'icon.svg', source: await readFile(join(import.meta.dirname, '../src/icon.svg')) });
    },
  };
}
