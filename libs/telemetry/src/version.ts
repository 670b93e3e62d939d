import { readFileSync } from 'node:fs';

let known: string | null = null;

/**
 * The version in package.json, which is searched upward from this file, so the result is the same
 * in the sources and in `dist/`.
 */
export function serviceVersion(): string {
  return (known ??= findVersion());
}

function findVersion(): string {
  for (let folder = new URL('./', import.meta.url); folder.pathname !== '/'; folder = new URL('../', folder)) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { name?: string; version?: string };
      if (name === 'plotline' && version) return version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error('no package.json was found above the program');
}
