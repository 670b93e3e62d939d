import { readMigrations, SchemaMismatch } from './migrator.ts';
import { readSchemaVersion } from './queries/maintenance/read-schema-version.ts';
import type { Store } from './store.ts';

/**
 * Throws {@link SchemaMismatch} unless every migration that this code knows was applied. A newer schema is none of its business: processes of two
 * versions run side by side while one takes the other's place.
 */
export async function assertMigrated(store: Store): Promise<void> {
  const wanted = (await readMigrations()).length;
  const found = await readSchemaVersion(store.global);
  if (found < wanted) {
    throw new SchemaMismatch(`The database is at migration ${found}, but this Plotline needs ${wanted}. Run "npm run migrate" once.`);
  }
}
