import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../lib/places.ts';
import { run } from '../lib/processes.ts';

/**
 * Thrown for a peer that this machine cannot run; the bench continues without the peer and reports
 * that.
 */
export class PeerUnavailable extends Error {}

/**
 * Creates, on first use, a Python environment below the cache folder with exactly these packages,
 * by `python3 -m venv` and pip. Returns its folder.
 */
export async function pythonEnvironment(name: string, packages: readonly string[], say: (line: string) => void): Promise<string> {
  const folder = join(cacheFolder(), name);
  const marker = join(folder, 'plotline-bench-packages');
  const wanted = packages.join('\n');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === wanted) return folder;
  say(`installing ${packages.join(', ')} for the bench (once)`);
  rmSync(folder, { recursive: true, force: true });
  try {
    await run('python3', ['-m', 'venv', folder]);
    await run(join(folder, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages]);
  } catch (error) {
    throw new PeerUnavailable(`${packages[0]} could not be installed: ${(error as Error).message}`, { cause: error });
  }
  writeFileSync(marker, wanted);
  return folder;
}

/** Returns null and reports why if the peer is {@link PeerUnavailable}; rethrows other errors. */
export async function orUnavailable<T>(use: () => Promise<T>, say: (line: string) => void): Promise<T | null> {
  try {
    return await use();
  } catch (error) {
    if (!(error instanceof PeerUnavailable)) throw error;
    say(`without this peer: ${error.message}`);
    return null;
  }
}
