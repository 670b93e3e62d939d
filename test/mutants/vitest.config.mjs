import { defineConfig } from 'vitest/config';
import { chosenModules } from './modules.mjs';

/**
 * The unit tier of the mutated modules. Property tests use fixed seeds: a mutant must not survive
 * by chance.
 */
export default defineConfig({
  resolve: { conditions: ['source'] },
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: chosenModules().flatMap(({ tests }) => tests),
    exclude: ['**/*.medium.spec.ts', '**/node_modules/**', 'dist/**'],
    isolate: false,
    testTimeout: 60_000,
  },
});
