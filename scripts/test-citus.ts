/**
 * `npm run test:citus -- [medium|chaos|e2e] [FILES]`: runs tests on a Citus cluster with a
 * coordinator and two workers, started on this machine; each test database is distributed. Without
 * arguments, it runs the specs listed below; with only a tier, it runs the whole tier; with files
 * and no tier, it runs these files in the medium tier. It uses the Postgres with `initdb` and
 * `postgres` in the folder `TEST_CITUS`, otherwise the Postgres of `pg_config`. That Postgres needs
 * the extension in a version that `npm run migrate -- --distribute` accepts. If there is no such
 * Postgres, it reports this and exits with 0; with
 * `TEST_REQUIRE=citus`, it fails.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { triedVersions } from '#store';

const run = promisify(execFile);
const root = join(import.meta.dirname.replace(/\/dist(?=\/scripts$)/, ''), '..');
/** Specs that write and read every kind of tenant data; add more as arguments. */
const mediumFiles = [
  'libs/store/src/distribute',
  'libs/store/src/queries',
  'libs/auth',
  'apps/ingest/src/ingest-run/ingest-run.medium',
  'apps/ingest/src/publish',
  'apps/ingest/src/deletion/delete.medium',
  'apps/read/src/experiments',
  'apps/read/src/sharing/snapshots',
];

/** Returns the folder of the programs, or the reason why there is none. */
async function findCitus(): Promise<{ readonly folder: string } | { readonly missing: string }> {
  try {
    const config = process.env.TEST_CITUS === undefined ? 'pg_config' : join(process.env.TEST_CITUS, 'pg_config');
    const { stdout } = await run(config, ['--version', '--bindir', '--sharedir']);
    const [version = '', folder = '', share = ''] = stdout.trim().split('\n');
    const postgres = Number(/(\d+)/.exec(version)?.[1]);
    const control = join(share, 'extension/citus.control');
    await access(control).catch(() => {
      throw new Error(`${version} in ${folder} does not have the extension citus`);
    });
    const citus = /default_version\s*=\s*'([^']+)'/.exec(await readFile(control, 'utf8'))?.[1];
    if (!triedVersions.some((pair) => pair.postgres === postgres && pair.citus === citus))
      throw new Error(`${version} in ${folder} has Citus ${citus}, which was not tested`);
    return { folder };
  } catch (error) {
    const tried = triedVersions.map((pair) => `Postgres ${pair.postgres} with Citus ${pair.citus}`).join(' or ');
    return { missing: `${(error as Error).message}. Set TEST_CITUS to the folder of the programs of ${tried}` };
  }
}

const required = (process.env.TEST_REQUIRE ?? '').split(',').includes('citus');
const citus = await findCitus();
if ('missing' in citus) {
  process.stderr.write(`The tests on Citus did not run: ${citus.missing}.\n`);
  process.exit(required ? 1 : 0);
}
const tiers = ['medium', 'chaos', 'e2e'];
const args = process.argv.slice(2);
const named = tiers.find((tier) => tier === args[0]);
const wanted = args.slice(named === undefined ? 0 : 1);
const runs: readonly (readonly [tier: string, files: readonly string[]])[] =
  args.length === 0
    ? [
        ['medium', mediumFiles],
        ['chaos', ['test/chaos/cluster']],
      ]
    : [[named ?? 'medium', wanted]];
for (const [tier, files] of runs) {
  const tests = spawn(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project', tier, '--maxWorkers', tier === 'medium' ? '3' : '1', ...files],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, TEST_CITUS: citus.folder, TEST_REQUIRE: 'postgres,citus', ...(tier === 'e2e' && { TEST_PROCESSES: 'apart' }) },
    },
  );
  const [code] = (await once(tests, 'exit')) as [number | null];
  process.exitCode ||= code ?? 1;
}
