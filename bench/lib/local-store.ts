import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { startPostgres } from '#embedded-postgres';
import type { ExperimentId, TenantId } from '#model';
import { experimentIdOf, tenantIdOf } from '#model/testing';
import { insertExperiment, insertMember, insertPerson, insertWorkspace, migrate, prepareDatabase, Store } from '#store';
import { withTemporaryFolder } from './places.ts';

const roles = ['plotline_app', 'plotline_ingest', 'plotline_sweeper', 'plotline_migrator'];

/** A store with its own Postgres and a workspace, without a service. */
export interface LocalStore {
  readonly store: Store;
  /** The administrator's database URL. */
  readonly adminUrl: string;
  readonly tenantId: TenantId;
  /** Creates an experiment and returns its id. */
  experiment(): Promise<ExperimentId>;
  close(): Promise<void>;
}

/** Starts Postgres in a folder that must not exist yet; a service can be started in it later. */
export async function openLocalStore(folder: string): Promise<LocalStore> {
  const postgres = await startPostgres({ dataDir: folder, log: () => undefined });
  try {
    const passwords = Object.fromEntries(roles.map((role) => [role, 'bench']));
    const adminUrl = await prepareDatabase({ adminUrl: postgres.url(), database: 'plotline', passwords });
    const urlOf = (role: string): string => Object.assign(new URL(adminUrl), { username: role, password: 'bench' }).href;
    await migrate(urlOf('plotline_migrator'));
    const store = new Store({ appUrl: urlOf('plotline_app'), ingestUrl: urlOf('plotline_ingest'), sweeperUrl: urlOf('plotline_sweeper') });
    const tenantId = tenantIdOf(randomUUID());
    await insertPerson(store.global, tenantId, 'Bench');
    await store.withTenant(tenantId, async (scope) => {
      await insertWorkspace(scope, 'Bench');
      await insertMember(scope, tenantId, 'owner');
    });
    const experiment = async (): Promise<ExperimentId> => {
      const experimentId = experimentIdOf(randomBytes(11).toString('hex'));
      await store.withTenant(tenantId, (scope) =>
        insertExperiment(scope, { experimentId, name: '', description: '', ownerId: tenantId, labels: [] }),
      );
      return experimentId;
    };
    const close = async (): Promise<void> => {
      await store.close();
      await postgres.stop();
    };
    return { store, adminUrl, tenantId, experiment, close };
  } catch (error) {
    await postgres.stop();
    throw error;
  }
}

/** Calls `use` with a new store and removes the store afterwards, even if `use` throws. */
export async function withLocalStore<T>(use: (local: LocalStore) => Promise<T>): Promise<T> {
  return withTemporaryFolder(async (folder) => {
    const local = await openLocalStore(join(folder, 'data'));
    try {
      return await use(local);
    } finally {
      await local.close();
    }
  });
}
