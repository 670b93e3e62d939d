import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json; benches run from their sources and from `dist`. */
export const repository = findUp(dirname(fileURLToPath(import.meta.url)));

/**
 * Returns the folder for installed peers and generated logs, kept between runs: `BENCH_CACHE`, or
 * `.cache/bench` in the repository.
 */
export function cacheFolder(): string {
  const folder = process.env['BENCH_CACHE'] ?? join(repository, '.cache', 'bench');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Calls `use` with a new folder and removes the folder afterwards, even if `use` throws. The folder
 * must be on a real disk; otherwise, written bytes do not count.
 */
export async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(process.env['BENCH_TMP'] ?? tmpdir(), 'plotline-bench-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function findUp(from: string): string {
  if (existsSync(join(from, 'package.json'))) return from;
  if (dirname(from) === from) throw new Error('no package.json above the benches');
  return findUp(dirname(from));
}
