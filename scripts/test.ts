/**
 * `npm test`: the tiers one after another (names of tiers as arguments: only those; anything else is passed on as a file filter).
 * The last lines name each suite that could not run with the reason, and count: `N passed, N failed`.
 */
import { BaseSequencer, startVitest } from 'vitest/node';
import { testPythonClient } from './python/python-client.ts';
import type { Reporter, TestCase, TestModule, TestSpecification, TestSuite } from 'vitest/node';

const tiers = ['unit', 'medium', 'e2e', 'web', 'chaos', 'python'];
/** Only where they are named: they install Python packages, and take minutes. */
const onRequest = ['conformance', 'contract'];
/** The files that take longest come first, so that no lane is left alone with one of them at the end. */
const longest = [
  'test/e2e/standalone',
  'test/e2e/sync-tools',
  'test/e2e/kills',
  'test/e2e/arrival',
  'test/apart/health',
  'test/e2e/real-logs',
  'test/deletion/orphans',
  'test/e2e/large-answers',
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
  'test/chaos/degraded', // first: it strains the machine, and what judges times comes last
  'test/chaos/workers',
  'test/chaos/uploads',
  'test/chaos/controls',
  'test/chaos/campaign',
  'test/chaos/jobs',
  'test/chaos/readers',
];
const wanted = process.argv.slice(2);
const filters = wanted.filter((argument) => ![...tiers, ...onRequest].includes(argument));
const chosen = [...tiers, ...onRequest].filter((tier) => wanted.includes(tier));

/** `python` in TEST_REQUIRE is for the client's tests below; vitest's parts are the others. */
const required = (process.env.TEST_REQUIRE ?? '').split(',');
const pythonRequired = required.includes('python');
process.env.TEST_REQUIRE = required.filter((part) => part !== 'python').join(',');

const count = { passed: 0, failed: 0, skipped: 0 };
/** A line for each suite or test that was skipped. */
const notRun = new Set<string>();

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

const counter: Reporter = {
  onTestRunEnd(modules, errors, reason) {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const outcome = countAs(test.result().state);
        count[outcome]++;
        if (outcome === 'skipped') notRun.add(`${module.relativeModuleId}: ${nameOfSkipped(test)}`);
      }
      // Faults outside tests: a file that does not load, a hook that throws
      count.failed += module.errors().length + [...module.children.allSuites()].flatMap((suite) => suite.errors()).length;
    }
    count.failed += errors.length;
    if (reason === 'interrupted') count.failed++;
  },
};

for (const tier of chosen.length > 0 ? chosen : tiers) {
  console.log(`\n== ${tier} ==`);
  if (tier === 'python') {
    const outcome = await testPythonClient(pythonRequired);
    count.passed += outcome.passed;
    count.failed += outcome.failed;
    if (outcome.notRun) notRun.add(`the Python client: ${outcome.notRun}`);
    continue;
  }
  const failedBefore = count.failed;
  process.exitCode = 0;
  try {
    const vitest = await startVitest('test', filters, {
      project: [tier],
      watch: false,
      run: true,
      passWithNoTests: true,
      reporters: ['default', counter],
      sequence: { sequencer: LongestFirst },
    });
    await vitest.close();
    // A set-up that fails (a part that TEST_REQUIRE names is missing) ends the run without a test
    if (process.exitCode && count.failed === failedBefore) count.failed++;
  } catch (error) {
    count.failed++;
    console.error(error);
  }
}

for (const line of notRun) console.log(`not run: ${line}`);
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exit(count.failed > 0 ? 1 : 0);

function countAs(state: string): keyof typeof count {
  if (state === 'passed') return 'passed';
  return state === 'skipped' ? 'skipped' : 'failed'; // pending: the run broke off before it
}

/** The suite, when that says in its title which part it misses (`describeWith`), else the test itself. */
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
