import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderInUse, lockFolder, readOrCreateSecret, startPostgres } from '#embedded-postgres';
import { type Lifetime, StartFault } from '#service';
import { migrate, prepareDatabase, SchemaMismatch } from '#store';

const databaseName = 'plotline';
const loginRoles = ['plotline_app', 'plotline_ingest', 'plotline_sweeper', 'plotline_migrator'] as const;

/** A migrated database, with an address for each kind of work. */
export interface StandaloneDatabase {
  readonly appUrl: string;
  readonly ingestUrl: string;
  readonly sweeperUrl: string;
}

/** What opening a database depends on. */
export interface DatabaseOptions {
  /** An administrator's address for a Postgres server to use instead of the embedded one. */
  readonly givenUrl: string | undefined;
  /**
   * An absolute path. From now on, only this process uses the folder, even if Postgres is external.
   */
  readonly dataDir: string;
  readonly log: (line: string) => void;
  /** Stops everything that opening the database started. */
  readonly lifetime: Lifetime;
}

/**
 * Starts the embedded Postgres or uses the given server, and migrates its schema to this version.
 * Throws `FolderInUse`, `SchemaMismatch`, or {@link StartFault}.
 */
export async function openDatabase(options: DatabaseOptions): Promise<StandaloneDatabase> {
  const { adminUrl, passwords } = options.givenUrl === undefined ? await embedded(options) : await given(options.givenUrl, options);
  try {
    const url = await prepareDatabase({ adminUrl, database: databaseName, passwords });
    const urlOf = (role: (typeof loginRoles)[number]): string => {
      const own = new URL(url);
      own.username = role;
      own.password = passwords[role]!;
      return own.href;
    };
    await migrate(urlOf('plotline_migrator'), { log: options.log });
    return { appUrl: urlOf('plotline_app'), ingestUrl: urlOf('plotline_ingest'), sweeperUrl: urlOf('plotline_sweeper') };
  } catch (error) {
    if (options.givenUrl === undefined || error instanceof SchemaMismatch) throw error;
    throw new StartFault(`The Postgres server in PLOTLINE_DATABASE_URL cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

async function embedded({ dataDir, log, lifetime }: DatabaseOptions) {
  try {
    const postgres = await startPostgres({ dataDir, log });
    lifetime.onStop(() => postgres.stop());
    return { adminUrl: postgres.url(), passwords: Object.fromEntries(loginRoles.map((role) => [role, postgres.password(role)])) };
  } catch (error) {
    if (error instanceof FolderInUse) throw error;
    throw new StartFault(messageOf(error), { cause: error });
  }
}

async function given(adminUrl: string, { dataDir, lifetime }: DatabaseOptions) {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(dataDir);
  lifetime.onStop(() => lock.release());
  const passwords: Record<string, string> = {};
  for (const role of loginRoles) passwords[role] = await readOrCreateSecret(join(dataDir, 'secrets', role));
  return { adminUrl, passwords };
}

/**
 * If a name has several addresses and the connections to them fail, the error contains the reasons.
 */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
