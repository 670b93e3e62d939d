import { afterAll, beforeAll } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import { Store } from '#store';
import { createTestDatabase, type TestDatabase } from '#testing';
import { DeletionWorld } from './deletion-world.ts';

/** Shared state of the tests of a suite; set before the first of them. */
export interface SuiteWorld {
  readonly store: Store;
  readonly world: DeletionWorld;
}

/**
 * Gives the calling suite a separate database with a world on it, and drops both after its last
 * test.
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
