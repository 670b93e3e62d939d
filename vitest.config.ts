import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * Seven tiers: `unit` does no I/O, `medium` uses real servers, `e2e` runs the whole system through
 * its public interfaces, `web` its pages in a browser, `conformance` with stock TensorBoard,
 * `contract` compares the OpenAPI document with the service, `chaos` breaks what the system depends
 * on.
 */
const shared = {
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  environments: { __vitest__: { resolve: { conditions: ['source'] } } }, // loads the global setup
};

/** Node keeps compiled code for the next process: a test run starts hundreds of a few programs. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.cache/compiled');

/** The default of Vitest leaves one of two processors unused. */
const workers = availableParallelism();

/**
 * The tiers of one run follow each other (`groupOrder`), so each has as many workers as it can use.
 */
export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          sequence: { groupOrder: 0 },
          include: ['{libs,apps,bench,scripts}/**/*.spec.ts'],
          exclude: ['**/*.medium.spec.ts', '**/node_modules/**', 'dist/**'],
          maxWorkers: workers,
          isolate: false, // loading the libraries again for each file took half of the time
          expect: { poll: { timeout: 20_000 } }, // as below
          testTimeout: 30_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'medium',
          sequence: { groupOrder: 1 },
          include: ['{libs,apps,scripts}/**/*.medium.spec.ts'],
          exclude: ['**/node_modules/**', 'dist/**'],
          globalSetup: ['libs/testing/src/global-setup.ts'],
          setupFiles: ['libs/testing/src/sql-recorder.ts'],
          isolate: false, // as above; each file has its own database
          maxWorkers: workers + 3, // files mostly wait for servers
          expect: { poll: { timeout: 30_000 } }, // enough on slow machines; the default is one second
          testTimeout: 180_000, // only for tests that hang
          hookTimeout: 180_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'e2e',
          sequence: { groupOrder: 2 },
          include: ['test/**/*.spec.ts'],
          exclude: ['test/chaos/**', 'test/conformance/**', 'test/contract/**', 'test/web/**', '**/node_modules/**', 'dist/**'],
          globalSetup: ['libs/testing/src/global-setup.ts'],
          // The MCP client exports TypeScript under `source`, which Node does not load from
          // node_modules
          server: { deps: { inline: [/@modelcontextprotocol/, /eventsource-parser/] } },
          maxWorkers: workers + 1, // each file starts its own services; with more workers, all take longer
          expect: { poll: { timeout: 30_000 } },
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'web',
          sequence: { groupOrder: 3 },
          include: ['test/web/**/*.spec.ts'],
          exclude: ['**/node_modules/**', 'dist/**'],
          globalSetup: ['libs/testing/src/global-setup.ts'],
          maxWorkers: workers, // browsers use the CPU all the time
          expect: { poll: { timeout: 30_000 } },
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'conformance',
          sequence: { groupOrder: 4 },
          include: ['test/conformance/**/*.spec.ts'],
          exclude: ['**/node_modules/**', 'dist/**'],
          globalSetup: ['libs/testing/src/global-setup.ts'],
          maxWorkers: 2, // each file starts Python clients and a service
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'contract',
          sequence: { groupOrder: 6 },
          include: ['test/contract/**/*.spec.ts'],
          exclude: ['**/node_modules/**', 'dist/**'],
          globalSetup: ['libs/testing/src/global-setup.ts'],
          maxWorkers: 1,
        },
      },
      {
        ...shared,
        test: {
          name: 'chaos',
          sequence: { groupOrder: 5 },
          include: ['test/chaos/**/*.spec.ts'],
          exclude: ['**/node_modules/**', 'dist/**'],
          globalSetup: ['libs/testing/src/global-setup.ts'],
          maxWorkers: workers, // each file starts its own system, and some check response times
          expect: { poll: { timeout: 30_000 } },
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
