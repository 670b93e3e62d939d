import { type Config, secretOf } from '#config';
import type { Secret } from '#config/secrets';
import {
  assertDurable,
  assertIsolated,
  assertMigrated,
  assertSignsIn,
  readSchemaNumber,
  type ServiceRole,
  SignInFault,
  Store,
  type StoreOptions,
} from '#store';
import { gauge, gaugeTable, type Logger, serviceVersion } from '#telemetry';
import type { Lifetime } from './lifetime.ts';
import { atMost } from './at-most.ts';
import { missing } from './missing.ts';
import { StartFault } from './start-fault.ts';
import { whenUsable } from './when-usable.ts';

const maxStoreCloseMs = 3_000;
/**
 * Statements for requests take milliseconds, or a few seconds on an overloaded machine. After this
 * time, no client waits anymore.
 */
const maxStatementMs = 30_000;

/** Signal and logger for the start of a process. */
export interface Waiting {
  readonly lifetime: Lifetime;
  readonly logger: Logger;
  /** Aborted when the start is canceled. */
  readonly interrupted?: AbortSignal;
}

/**
 * Opens a store that is closed with the process, once the database is usable ({@link whenUsable}).
 * Throws its errors. Also throws if an address signs in as the wrong role, if commits of this
 * Postgres do not survive a power failure, or if the database does not isolate workspaces.
 */
export async function openStore(options: StoreOptions, { lifetime, logger, interrupted }: Waiting): Promise<Store> {
  const store = new Store({ statementMs: maxStatementMs, onHangingCommits: reportHangingCommits(logger), ...options });
  lifetime.onStop(() => atMost(store.close(), maxStoreCloseMs)); // a hanging transaction is cut when its connection ends with the process
  return whenUsable({ logger, interrupted }, async () => {
    // This check comes first: with the wrong role, all other checks are wrong.
    await assertSignsIn(store).catch((error: unknown) => {
      throw error instanceof SignInFault ? new StartFault(`${settingOf[error.role]} ${error.message}`, { cause: error }) : error;
    });
    await assertDurable(store, { allowUnsafe: false });
    await assertMigrated(store);
    await assertIsolated(store);
    reportStore(store, await readSchemaNumber(store));
    return store;
  });
}

/**
 * Metrics for the connections of the process, and for the versions of the service and the schema.
 */
function reportStore(store: Store, schema: number): void {
  gaugeTable(
    'plotline_database_connections',
    'Connections to Postgres by role and state; waiting: requests without a connection.',
    ['role', 'state'],
    () =>
      Object.entries(store.connectionCounts).flatMap(([role, { inUse, idle, waiting }]) => [
        [{ role, state: 'in-use' }, inUse] as const,
        [{ role, state: 'idle' }, idle] as const,
        [{ role, state: 'waiting' }, waiting] as const,
      ]),
  );
  gaugeTable(
    'plotline_build_info',
    'The version of this process, and the schema that it found at its start.',
    ['version', 'schema'],
    () => [[{ version: serviceVersion(), schema: String(schema) }, 1]],
  );
}

/** Logs when the commits of this process start and stop hanging, and counts them in a metric. */
function reportHangingCommits(logger: Logger): (commits: number) => void {
  let hanging = 0;
  gauge('plotline_hanging_commits', 'Commits of this process that wait for a lost synchronous standby.', () => hanging);
  return (commits) => {
    if (commits > 0 && hanging === 0) logger.error('commits hang: a synchronous Postgres standby is missing; writes are rejected');
    if (commits === 0 && hanging > 0) logger.info('commits are confirmed again');
    hanging = commits;
  };
}

const names = {
  appDatabaseUrl: 'PLOTLINE_APP_DATABASE_URL',
  ingestDatabaseUrl: 'PLOTLINE_INGEST_DATABASE_URL',
  sweeperDatabaseUrl: 'PLOTLINE_SWEEPER_DATABASE_URL',
  migratorDatabaseUrl: 'PLOTLINE_MIGRATOR_DATABASE_URL',
} as const;

/** The setting that contains a role's address. */
const settingOf: Readonly<Record<ServiceRole, string>> = {
  plotline_app: names.appDatabaseUrl,
  plotline_ingest: names.ingestDatabaseUrl,
  plotline_sweeper: names.sweeperDatabaseUrl,
};

/**
 * The address of a role. If it is in a file, it is read again when it changes. If it is missing,
 * throws a `ConfigFault` that names the setting.
 */
export function roleUrl(config: Config, role: keyof typeof names): Secret {
  return secretOf(config, names[role]) ?? missing(names[role]);
}
