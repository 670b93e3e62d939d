import { join } from 'node:path';
import { lockFolder } from './folder-lock.ts';
import { clearOrphan } from './orphan.ts';

/**
 * Stops the Postgres that a killed process left running on this data folder, if any. Throws
 * `FolderInUse` if a live process holds it.
 */
export async function stopAbandoned(dataDir: string, log: (line: string) => void = () => {}): Promise<void> {
  const lock = await lockFolder(dataDir);
  try {
    await clearOrphan(join(dataDir, 'postgres'), log);
  } finally {
    await lock.release();
  }
}
