import { readFileSync } from 'node:fs';

/**
 * The version in package.json, which is found by searching upwards from this file. This works in
 * the sources and in `dist/`.
 */
export function cliVersion(): string {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { name?: string; version?: string };
      if (name === 'plotline' && version) return version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    if (folder.pathname === '/') return 'unknown';
  }
}
