import { type Config, ConfigFault, notSet } from '#config';
import { parsePostgresAddress } from '#config/secrets';
import { StartFault } from '#service';
import { distribute, findHost, hasDistributedTables, migrate, prepareDatabase, SchemaMismatch, withOwnerLogin } from '#store';

/** Default number of shards per table: enough for 16 workers with four shards of each table. */
export const defaultShards = 64;

const roles = {
  appDatabaseUrl: 'plotline_app',
  ingestDatabaseUrl: 'plotline_ingest',
  sweeperDatabaseUrl: 'plotline_sweeper',
  migratorDatabaseUrl: 'plotline_migrator',
} as const;

/**
 * Creates the database and its roles if an administrator's address is given, with the passwords
 * from the roles' addresses. Migrates the database as plotline_migrator. Throws {@link StartFault}
 * for inconsistent addresses, and `SchemaMismatch` for a newer schema. `shards`: distributes the
 * tables over the workers of a cluster. If null, only distributes tables that are not yet
 * distributed in a distributed database.
 */
export async function prepareSchema(config: Config, log: (line: string) => void, shards: number | null = null): Promise<void> {
  try {
    const { databaseUrl } = config.storage;
    if (databaseUrl === undefined) {
      if (shards !== null)
        throw new StartFault("Only a superuser can distribute tables: set PLOTLINE_DATABASE_URL to a superuser's address.");
      await migrate(await findHost(migratorOf(config)), { log });
      return;
    }
    const adminUrl = await prepareDatabase({
      adminUrl: await findHost(databaseUrl),
      database: databaseOf(migratorOf(config)),
      passwords: passwordsOf(config),
    });
    const migratorUrl = await findHost(migratorOf(config));
    await withOwnerLogin(adminUrl, async () => {
      await migrate(migratorUrl, { log });
      if (shards !== null || (await hasDistributedTables(adminUrl))) await distribute(adminUrl, { shards: shards ?? defaultShards, log });
    });
  } catch (error) {
    if (error instanceof SchemaMismatch || error instanceof StartFault) throw error;
    throw new StartFault(`The database cannot be prepared: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function migratorOf({ storage }: Config): string {
  if (storage.migratorDatabaseUrl === undefined) throw new ConfigFault([notSet('PLOTLINE_MIGRATOR_DATABASE_URL')]);
  return storage.migratorDatabaseUrl;
}

/** The passwords of the roles with a given address. The other roles keep their passwords. */
function passwordsOf(config: Config): Record<string, string> {
  const passwords: Record<string, string> = {};
  const database = databaseOf(migratorOf(config));
  for (const [setting, role] of Object.entries(roles) as [keyof typeof roles, string][]) {
    const address = config.storage[setting];
    if (address === undefined) continue;
    const url = new URL(parsePostgresAddress(address)!.urls[0]!);
    if (decodeURIComponent(url.username) !== role)
      throw new StartFault(`The URL of ${role} specifies another user. Roles have the names in migrations/roles.sql.`);
    if (url.password === '') throw new StartFault(`The URL of ${role} has no password to set.`);
    if (databaseOf(address) !== database) throw new StartFault(`The URLs of ${role} and plotline_migrator specify different databases.`);
    passwords[role] = decodeURIComponent(url.password);
  }
  return passwords;
}

function databaseOf(address: string): string {
  const name = decodeURIComponent(new URL(parsePostgresAddress(address)!.urls[0]!).pathname.slice(1));
  if (name === '') throw new StartFault('The URL of plotline_migrator does not specify a database.');
  return name;
}
