import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '#embedded-postgres';
import { migrate, prepareDatabase } from '#store';

/** A new, migrated database; `stop` removes its folder. */
export async function migratedDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'plotline-generate-'));
  const postgres = await startPostgres({ dataDir, settings: { fsync: 'off' } });
  const stop = async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true });
  };
  try {
    const url = await prepareDatabase({ adminUrl: postgres.url(), database: 'plotline', passwords: {} });
    await migrate(url);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
