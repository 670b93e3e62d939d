import { chosenModules } from './modules.mjs';

/**
 * `npm run test:mutants`: changes the code in small ways, and lists the changes that no unit test
 * detects.
 */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutants/vitest.config.mjs', related: false },
  mutate: [...chosenModules().flatMap(({ mutate }) => mutate), '!**/*.spec.ts'],
  // Runs only the tests that cover the changed line.
  coverageAnalysis: 'perTest',
  ignorePatterns: ['dist', '.cache', 'screenshots', 'coverage', 'clients', 'docs', 'k8s', 'docker', 'test/data'],
  tempDirName: '.cache/mutants',
  incremental: true,
  incrementalFile: '.cache/mutants.json',
  concurrency: Number(process.env.MUTANTS_AT_ONCE ?? 1),
  reporters: ['clear-text', 'html', 'progress-append-only'],
  htmlReporter: { fileName: '.cache/mutants.html' },
  clearTextReporter: { logTests: false, allowColor: false },
  thresholds: { high: 95, low: 85, break: 85 },
  tsconfigFile: 'test/mutants/none.json', // Only Vitest reads the sources
  allowConsoleColors: false,
};
