import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '#config';
import { Problem } from '#model';
import { assertDurable, mapStoreError, Store, type StoreOptions } from '#store';
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
 * Opens a store that is closed with the process. A database that does not answer yet is waited for, half a minute at most: after an outage, or with a
 * whole machine, everything starts at once. Throws {@link StartFault} then, and on a Postgres whose commits do not survive a power cut.
 */
export async function openStore(options: StoreOptions, { lifetime, logger, interrupted }: Waiting): Promise<Store> {
  const store = new Store({ statementMs: maxStatementMs, ...options });
  lifetime.onStop(() => atMost(store.close(), maxStoreCloseMs)); // a transaction that hangs is cut when its connection ends with the process
  const since = performance.now();
  for (let tries = 1; ; tries++) {
    try {
      await assertDurable(store, { allowUnsafe: false });
      return store;
    } catch (thrown) {
      const error = mapStoreError(thrown);
      const mayPass = error instanceof Problem && performance.now() - since < maxWaitMs;
      if (!mayPass) throw new StartFault(thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
      if (tries === 1) logger.warn('the database does not answer yet; waiting for it', { err: error.cause });
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
