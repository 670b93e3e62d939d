import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Adds the icon to the build, because only the server's HTML refers to it. */
export function icon(): Plugin {
  return {
    name: 'icon',
    apply: 'build',
    async buildStart() {
      this.emitFile({ type: 'asset', name: 'icon.svg', source: await readFile(join(import.meta.dirname, '../src/icon.svg')) });
    },
  };
}
