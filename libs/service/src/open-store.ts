import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '#config';
import { Problem } from '#model';
import { assertDurable, assertMigrated, mapStoreError, SchemaMismatch, Store, type StoreOptions } from '#store';
import type { Logger } from '#telemetry';
import type { Lifetime } from './lifetime.ts';
import { atMost } from './at-most.ts';
import { missing } from './missing.ts';
import { StartFault } from './start-fault.ts';

const maxStoreCloseMs = 3_000;
/** What a request asks takes milliseconds, with the whole machine busy some seconds; beyond that nobody waits for the answer any more. */
const maxStatementMs = 30_000;
const maxWaitMs = 30_000;
const retryMs = 500;

/** What a process that starts waits with, and tells. */
export interface Waiting {
  readonly lifetime: Lifetime;
  readonly logger: Logger;
  /** Aborted when the start is not wanted any more. */
  readonly interrupted?: AbortSignal;
}

/**
 * Opens a store that is closed with the process. A database that does not answer yet, or is not migrated yet, is waited for, half a minute at most: with a
 * whole machine, everything starts at once. Throws `SchemaMismatch` and {@link StartFault}, the latter also on a Postgres whose commits do not survive a power cut.
 */
export async function openStore(options: StoreOptions, { lifetime, logger, interrupted }: Waiting): Promise<Store> {
  const store = new Store({ statementMs: maxStatementMs, ...options });
  lifetime.onStop(() => atMost(store.close(), maxStoreCloseMs)); // a transaction that hangs is cut when its connection ends with the process
  const since = performance.now();
  for (let tries = 1; ; tries++) {
    try {
      await assertDurable(store, { allowUnsafe: false });
      await assertMigrated(store);
      await store.assertConnects();
      return store;
    } catch (thrown) {
      const error = mapStoreError(thrown);
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const mayPass = error instanceof Problem || error instanceof SchemaMismatch;
      if (!mayPass) throw new StartFault(reason, { cause: thrown });
      if (performance.now() - since > maxWaitMs) {
        throw error instanceof SchemaMismatch ? error : new StartFault(`The database cannot be used: ${reason}`, { cause: thrown });
      }
      if (tries === 1) logger.warn('the database cannot be used yet; waiting for it', { reason });
    }
    await sleep(retryMs, undefined, { signal: interrupted }).catch(() => interrupted?.throwIfAborted());
  }
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
