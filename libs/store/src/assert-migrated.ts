import { readMigrations, SchemaMismatch, tooNew } from './migrator.ts';
import { readSchemaVersion } from './queries/maintenance/read-schema-version.ts';
import type { Store } from './store.ts';

/** The number of migrations applied to the database. */
export async function readSchemaNumber(store: Store): Promise<number> {
  return (await readSchemaVersion(store.global)).number;
}

/**
 * Throws {@link SchemaMismatch} unless every migration that this code knows has been applied.
 * Accepts a newer schema unless one of its migrations is marked as a contract, because two versions
 * run side by side during a rolling update.
 */
export async function assertMigrated(store: Store): Promise<void> {
  const wanted = (await readMigrations()).length;
  const { number: found, contract } = await readSchemaVersion(store.global);
  if (found < wanted) {
    throw new SchemaMismatch(`The database is at migration ${found}, but this Plotline needs ${wanted}. Run "npm run migrate" once.`);
  }
  if (contract > wanted) throw new SchemaMismatch(tooNew(contract, wanted));
}
