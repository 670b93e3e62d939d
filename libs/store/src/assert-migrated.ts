import { readMigrations, SchemaMismatch } from './migrator.ts';
import { readSchemaVersion } from './queries/maintenance/read-schema-version.ts';
import type { Store } from './store.ts';

/**
 * Throws {@link SchemaMismatch} unless every migration that this code knows has been applied. A
 * newer schema is accepted: during a rolling update, processes of two versions run side by side.
 */
export async function assertMigrated(store: Store): Promise<void> {
  const wanted = (await readMigrations()).length;
  const found = await readSchemaVersion(store.global);
  if (found < wanted) {
    throw new SchemaMismatch(`The database is at migration ${found}, but this Plotline needs ${wanted}. Run "npm run migrate" once.`);
  }
}
