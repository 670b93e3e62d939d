import { afterAll, beforeAll } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import { Store } from '#store';
import { createTestDatabase, type TestDatabase } from '#testing';
import { DeletionWorld } from './deletion-world.ts';

/** The state that a suite's tests share, set before the first test. */
export interface SuiteWorld {
  readonly store: Store;
  readonly world: DeletionWorld;
}

/**
 * Gives the calling suite a separate database and a world that uses it. Drops both after the
 * suite's last test.
 */
export function useDeletionWorld(): SuiteWorld {
  const suite = {} as { store: Store; world: DeletionWorld };
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await createTestDatabase();
    suite.store = new Store(database);
    suite.world = new DeletionWorld(suite.store, new MemoryBlobStore());
  });
  afterAll(async () => {
    await suite.store?.close();
    await database?.drop();
  });
  return suite;
}
