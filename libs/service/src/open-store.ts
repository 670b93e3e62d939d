import type { Config } from '#config';
import { assertDurable, Store, type StoreOptions } from '#store';
import type { Lifetime } from './lifetime.ts';
import { atMost } from './at-most.ts';
import { missing } from './missing.ts';
import { StartFault } from './start-fault.ts';

const maxStoreCloseMs = 3_000;

/** Opens a store that is closed with the process. Throws {@link StartFault} on a Postgres whose commits do not survive a power cut. */
export async function openStore(options: StoreOptions, lifetime: Lifetime): Promise<Store> {
  const store = new Store(options);
  lifetime.onStop(() => atMost(store.close(), maxStoreCloseMs)); // a transaction that hangs is cut when its connection ends with the process
  await assertDurable(store, { allowUnsafe: false }).catch((error: Error) => {
    throw new StartFault(error.message, { cause: error });
  });
  return store;
}

type RoleUrl = 'appDatabaseUrl' | 'ingestDatabaseUrl' | 'sweeperDatabaseUrl' | 'migratorDatabaseUrl';

const names: Readonly<Record<RoleUrl, string>> = {
  appDatabaseUrl: 'PLOTLINE_APP_DATABASE_URL',
  ingestDatabaseUrl: 'PLOTLINE_INGEST_DATABASE_URL',
  sweeperDatabaseUrl: 'PLOTLINE_SWEEPER_DATABASE_URL',
  migratorDatabaseUrl: 'PLOTLINE_MIGRATOR_DATABASE_URL',
};

/** The address of a role. Throws {@link StartFault} that names the setting when it is not set. */
export function roleUrl(config: Config, role: RoleUrl): string {
  return config.storage[role] ?? missing(names[role]);
}
