import type { Config } from '#config';
import { runningPostgresUrl } from '#embedded-postgres';
import { dataFolder, StartFault } from '#service';
import { Operator } from '#store';

const role = 'plotline_migrator';
const embeddedDatabase = 'plotline';

/**
 * Connects as the operator: to PLOTLINE_MIGRATOR_DATABASE_URL if it is set, otherwise to the
 * Postgres of the embedded service that runs in the data folder.
 */
export async function openOperator(config: Config): Promise<Operator> {
  const folder = dataFolder(config);
  const url = config.storage.migratorDatabaseUrl ?? (await runningPostgresUrl(folder, role, embeddedDatabase));
  if (url === null) {
    throw new StartFault(
      `No database to work on: PLOTLINE_MIGRATOR_DATABASE_URL is not set, and you are not running an embedded service in ${folder} (PLOTLINE_DATA_DIR).`,
    );
  }
  return new Operator(url);
}
