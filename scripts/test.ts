/**
 * `npm test`: runs the tiers one after another (arguments: names of tiers to run; anything else is
 * passed on as a file filter). With `CI` set, up to three failed files run once more at the end,
 * alone: some tests assert times, and CI machines are shared. The last lines list each failed test,
 * each test that passed only the second time, and each suite that could not run, with the reason.
 * The last line is a count: `N passed, N failed`.
 */
import { BaseSequencer, startVitest } from 'vitest/node';
import { testPythonClient } from './python/python-client.ts';
import type { Reporter, TestCase, TestModule, TestSpecification, TestSuite } from 'vitest/node';

const tiers = ['unit', 'medium', 'e2e', 'web', 'chaos', 'python'];
/** Run only if named: they install Python packages and take minutes. */
const onRequest = ['conformance', 'contract'];
/** The longest files start first, so that none runs alone at the end. */
const longest = [
  'test/alerts/alerts',
  'test/apart/rolling-update',
  'test/e2e/standalone',
  'test/e2e/sync-tools',
  'test/e2e/kills',
  'test/e2e/arrival',
  'test/apart/health',
  'test/e2e/real-logs',
  'test/deletion/orphans',
  'test/e2e/large-responses',
  'test/e2e/hostile-names',
  'test/apart/stop',
  'test/apart/starts',
  'test/e2e/npm-commands',
  'test/e2e/command-line',
  'test/deletion/',
  'test/e2e/outages',
  'test/e2e/overload',
  'test/e2e/hostile-uploads',
  'test/e2e/opened-paths',
  'read/src/tokens/secrets',
  'libs/jobs/src/queue-faults',
  'ingest/src/deletion/delete.',
  'two-connections',
  'read/src/page/payloads',
  'libs/embedded-postgres/',
  'cli/src/upload/upload.',
  'upload/src/files/revocation',
  'libs/blobs/src/s3-faults',
  'read/src/meta/unknown-fields',
  'libs/progress/',
  'test/web/access',
  'test/web/xss',
  'test/web/live',
  'test/web/scalars.',
  'test/web/sharing',
  'test/web/data',
  'test/chaos/degraded', // First, because it loads the machine; tests that assert times run last.
  'test/chaos/workers',
  'test/chaos/uploads',
  'test/chaos/controls',
  'test/chaos/campaign',
  'test/chaos/jobs',
  'test/chaos/readers',
];
process.env.CHAOS_SEED ??= String(Date.now() % 1_000_000); // A second run draws the same scenarios.
const wanted = process.argv.slice(2);
const filters = wanted.filter((argument) => ![...tiers, ...onRequest].includes(argument));
const chosen = [...tiers, ...onRequest].filter((tier) => wanted.includes(tier));

/** `python` in TEST_REQUIRE means the client's tests below; all other parts are vitest's. */
const required = (process.env.TEST_REQUIRE ?? '').split(',');
const pythonRequired = required.includes('python');
process.env.TEST_REQUIRE = required.filter((part) => part !== 'python').join(',');

/**
 * The result of a test file. Faults are failures outside of tests: a file that does not load, a
 * hook that throws.
 */
interface Outcome {
  passed: number;
  /** One line per failed test and per fault. */
  failures: string[];
}

/** By tier and file. A second run of a file replaces the first. */
const outcomes = new Map<string, Outcome>();
/** Failures outside of files. */
const faults: string[] = [];
/** One line per skipped suite or test. */
const notRun = new Set<string>();
/** If more files fail, a busy machine is probably not the cause. */
const maxRetriedFiles = 3;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function counterOf(tier: string): Reporter {
  return {
    onTestRunEnd(modules, errors, reason) {
      for (const module of modules) outcomes.set(`${tier} ${module.relativeModuleId}`, outcomeOf(module));
      for (const error of errors) faults.push(`${tier}: ${firstLine(error.message)}`);
      if (reason === 'interrupted') faults.push(`${tier}: interrupted`);
    },
  };
}

for (const tier of chosen.length > 0 ? chosen : tiers) {
  console.log(`\n== ${tier} ==`);
  if (tier === 'python') {
    const { passed, failed, notRun: reason } = await testPythonClient(pythonRequired);
    outcomes.set('python', { passed, failures: Array.from({ length: failed }, () => 'the Python client: see above') });
    if (reason) notRun.add(`the Python client: ${reason}`);
  } else await runTier(tier, filters);
}

const failedFiles = [...outcomes].filter(([file, { failures }]) => file.includes(' ') && failures.length > 0);
if (process.env.CI && failedFiles.length <= maxRetriedFiles) {
  for (const [file, first] of failedFiles) {
    const [tier = '', path = ''] = file.split(' ');
    console.log(`\n== once more: ${file} ==`);
    outcomes.delete(file);
    await runTier(tier, [path]);
    if (outcomes.get(file)?.failures.length === 0)
      for (const failure of first.failures) console.log(`passed only at the second try: ${failure}`);
  }
}

for (const line of notRun) console.log(`not run: ${line}`);
const failures = [...[...outcomes.values()].flatMap((outcome) => outcome.failures), ...faults];
for (const failure of failures) console.log(`failed: ${failure}`);
const passed = [...outcomes.values()].reduce((sum, outcome) => sum + outcome.passed, 0);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length > 0 ? 1 : 0);

async function runTier(tier: string, files: string[]): Promise<void> {
  const failuresBefore = countFailures();
  process.exitCode = 0;
  try {
    const vitest = await startVitest('test', files, {
      project: [tier],
      watch: false,
      run: true,
      passWithNoTests: true,
      reporters: ['default', counterOf(tier)],
      sequence: { sequencer: LongestFirst },
    });
    await vitest.close();
    // If the setup fails (a part in TEST_REQUIRE is missing), the run ends without running a test.
    if (process.exitCode && countFailures() === failuresBefore) faults.push(`${tier}: did not run`);
  } catch (error) {
    faults.push(`${tier}: did not run`);
    console.error(error);
  }
}

function countFailures(): number {
  return [...outcomes.values()].reduce((sum, outcome) => sum + outcome.failures.length, faults.length);
}

function outcomeOf(module: TestModule): Outcome {
  const outcome: Outcome = { passed: 0, failures: [] };
  const nameFailure = (name: string, message: string) =>
    outcome.failures.push(`${module.relativeModuleId}: ${name}: ${firstLine(message)}`);
  for (const test of module.children.allTests()) {
    const { state, errors } = test.result();
    if (state === 'passed') outcome.passed++;
    else if (state === 'skipped') notRun.add(`${module.relativeModuleId}: ${nameOfSkipped(test)}`);
    else nameFailure(test.fullName, errors?.[0]?.message ?? 'the run ended before it');
  }
  for (const error of module.errors()) nameFailure('the file', error.message);
  for (const suite of module.children.allSuites()) for (const error of suite.errors()) nameFailure(suite.fullName, error.message);
  return outcome;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/**
 * Returns the suite, if its title names a missing part (`describeWith`), otherwise the test itself.
 */
function nameOfSkipped(test: TestCase): string {
  for (let parent: TestCase | TestSuite | TestModule = test; parent.type !== 'module'; parent = parent.parent) {
    if (parent.type === 'suite' && / \[needs .*\]$/.test(parent.name)) return parent.fullName;
  }
  return test.fullName;
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((part) => moduleId.includes(part));
  return place === -1 ? longest.length : place;
}
