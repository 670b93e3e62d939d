import { readMigrations, SchemaMismatch, tooNew } from './migrator.ts';
import { readSchemaVersion } from './queries/maintenance/read-schema-version.ts';
import type { Store } from './store.ts';

/** The number of migrations that the database has. */
export async function readSchemaNumber(store: Store): Promise<number> {
  return (await readSchemaVersion(store.global)).number;
}

/**
 * Throws {@link SchemaMismatch} unless every migration that this code knows has been applied. A
 * newer schema is accepted unless one of its migrations is marked as a contract: during a rolling
 * update, processes of two versions run side by side.
 */
export async function assertMigrated(store: Store): Promise<void> {
  const wanted = (await readMigrations()).length;
  const { number: found, contract } = await readSchemaVersion(store.global);
  if (found < wanted) {
    throw new SchemaMismatch(`The database is at migration ${found}, but this Plotline needs ${wanted}. Run "npm run migrate" once.`);
  }
  if (contract > wanted) throw new SchemaMismatch(tooNew(contract, wanted));
}
