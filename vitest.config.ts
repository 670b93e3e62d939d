import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Seven tiers: `unit` does no I/O, `medium` uses real servers, `e2e` drives the whole system through its doors, `web` its pages in a browser, `conformance` does it with stock TensorBoard, `contract` compares the OpenAPI document with the service, `chaos` breaks what it stands on. */
const shared = {
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  environments: { __vitest__: { resolve: { conditions: ['source'] } } }, // where global set-ups are loaded
};

/** What Node compiled is kept for the next process: a test run starts hundreds, of few programs. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.cache/compiled');

/** Vitest alone would leave one processor of two unused. */
const workers = availableParallelism();

/** Tiers that are named together run one after another (`groupOrder`): each has as many workers as it can use. */
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
          isolate: false, // what only computes leaves nothing behind; loading the libraries again for each file took half of the time
          testTimeout: 30_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'medium',
          sequence: { groupOrder: 1 },
          include: ['{libs,apps}/**/*.medium.spec.ts'],
          exclude: ['**/node_modules/**', 'dist/**'],
          globalSetup: ['libs/testing/src/global-setup.ts'],
          setupFiles: ['libs/testing/src/sql-recorder.ts'],
          isolate: false, // as above; each file has a database of its own
          maxWorkers: workers + 3, // a file mostly waits for its servers
          testTimeout: 180_000, // ends what hangs, on any machine; nothing is measured by it
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
          // A package of the MCP client has TypeScript behind the condition `source`, which Node does not load from node_modules.
          server: { deps: { inline: [/@modelcontextprotocol/, /eventsource-parser/] } },
          maxWorkers: workers + 1, // a file has services of its own, which use the processors; with one more, all take longer
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
          maxWorkers: workers, // a browser is busy all the time
          expect: { poll: { timeout: 30_000 } }, // what a page is to become, on any machine
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
          maxWorkers: 2, // Python clients, and a service for each file
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
          maxWorkers: workers, // a file has a whole system of its own, and some judge how soon it answers
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
