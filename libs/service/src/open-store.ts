import type { Config } from '#config';
import {
  assertDurable,
  assertIsolated,
  assertMigrated,
  assertSignsIn,
  type ServiceRole,
  SignInFault,
  Store,
  type StoreOptions,
} from '#store';
import type { Logger } from '#telemetry';
import type { Lifetime } from './lifetime.ts';
import { atMost } from './at-most.ts';
import { missing } from './missing.ts';
import { StartFault } from './start-fault.ts';
import { whenUsable } from './when-usable.ts';

const maxStoreCloseMs = 3_000;
/** What a request asks takes milliseconds, with the whole machine busy some seconds; beyond that nobody waits for the answer any more. */
const maxStatementMs = 30_000;

/** What a process that starts waits with, and tells. */
export interface Waiting {
  readonly lifetime: Lifetime;
  readonly logger: Logger;
  /** Aborted when the start is not wanted any more. */
  readonly interrupted?: AbortSignal;
}

/**
 * Opens a store that is closed with the process, when the database can be used ({@link whenUsable}). Throws as that does, also on an address that signs in as another role than it should, on
 * a Postgres whose commits do not survive a power cut, or that does not keep workspaces apart.
 */
export async function openStore(options: StoreOptions, { lifetime, logger, interrupted }: Waiting): Promise<Store> {
  const store = new Store({ statementMs: maxStatementMs, ...options });
  lifetime.onStop(() => atMost(store.close(), maxStoreCloseMs)); // a transaction that hangs is cut when its connection ends with the process
  return whenUsable({ logger, interrupted }, async () => {
    // First: in another role everything else is answered wrongly.
    await assertSignsIn(store).catch((error: unknown) => {
      throw error instanceof SignInFault ? new StartFault(`${settingOf[error.role]} ${error.message}`, { cause: error }) : error;
    });
    await assertDurable(store, { allowUnsafe: false });
    await assertMigrated(store);
    await assertIsolated(store);
    return store;
  });
}

const names = {
  appDatabaseUrl: 'PLOTLINE_APP_DATABASE_URL',
  ingestDatabaseUrl: 'PLOTLINE_INGEST_DATABASE_URL',
  sweeperDatabaseUrl: 'PLOTLINE_SWEEPER_DATABASE_URL',
  migratorDatabaseUrl: 'PLOTLINE_MIGRATOR_DATABASE_URL',
} as const;

/** The setting that holds the address of a role. */
const settingOf: Readonly<Record<ServiceRole, string>> = {
  plotline_app: names.appDatabaseUrl,
  plotline_ingest: names.ingestDatabaseUrl,
  plotline_sweeper: names.sweeperDatabaseUrl,
};

/** The address of a role. Throws `ConfigFault` that names the setting when it is not set. */
export function roleUrl(config: Config, role: keyof typeof names): string {
  return config.storage[role] ?? missing(names[role]);
}
