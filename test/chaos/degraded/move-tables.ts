import { chown, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { within } from '../workload.ts';
import type { SmallDisk } from './small-disk.ts';

/**
 * Moves all tables and indexes of the service to a separate disk; the WAL is not moved. `dataDir`
 * is the data folder of the embedded Postgres; `administer` sends a statement as superuser.
 */
export async function moveTables(dataDir: string, administer: (statement: string) => Promise<unknown>, disk: SmallDisk): Promise<void> {
  const location = join(disk.folder, 'space');
  const { uid, gid } = await stat(join(dataDir, 'postgres'));
  await chown(disk.folder, uid, gid);
  await mkdir(location, { mode: 0o700 });
  await chown(location, uid, gid);
  await administer(`create tablespace small location '${location}'`);
  for (const kind of ['table', 'index']) {
    const move = (): Promise<unknown> => administer(`alter ${kind} all in tablespace pg_default set tablespace small`);
    // This locks all tables, under load; a deadlock only costs a retry.
    const moved = await within(60_000, () =>
      move()
        .then(() => true)
        .catch((error: { code?: string }) => error.code !== '40P01' && Promise.reject(error)),
    );
    if (!moved) throw new Error(`the ${kind} files could not be moved`);
  }
}
