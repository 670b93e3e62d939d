/** Builds and tests the Python client in a virtual environment below `.cache/python`. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '../..').replace(/\/dist$/, '');
const client = join(repository, 'clients/python');
const environment = join(repository, '.cache/python');
const python = join(environment, 'bin/python');

/**
 * The result of a tier: the numbers of passed and failed checks, or the reason that it could not
 * run.
 */
export interface PythonOutcome {
  readonly passed: number;
  readonly failed: number;
  readonly notRun: string | null;
}

/** Builds the wheel and the sdist. Returns the wheel's path. */
export async function buildPythonClient(): Promise<string> {
  await prepare();
  const dist = join(client, 'dist');
  rmSync(dist, { recursive: true, force: true });
  await run(python, ['-m', 'build', '--no-isolation', '--outdir', dist, client]);
  const wheel = readdirSync(dist).find((name) => name.endsWith('.whl'));
  if (!wheel) throw new Error('no wheel was built');
  return join(dist, wheel);
}

/**
 * Lints, type-checks and tests the installed wheel against the built service. `filters` are passed
 * to pytest. Missing Python or packages are a failure only if the client's tests are `required`.
 */
export async function testPythonClient(required: boolean, filters: readonly string[] = []): Promise<PythonOutcome> {
  try {
    const wheel = await buildPythonClient();
    await run(python, ['-m', 'pip', 'install', '--quiet', '--force-reinstall', '--no-deps', wheel]);
    await run(python, ['-m', 'pip', 'install', '--quiet', wheel]);
  } catch (error) {
    return { passed: 0, failed: required ? 1 : 0, notRun: (error as Error).message.trim().split('\n').at(-1) ?? 'failed' };
  }
  const checks = [
    ['-m', 'ruff', 'check', '.'],
    ['-m', 'ruff', 'format', '--check', '.'],
    ['-m', 'mypy'],
  ];
  let passed = 0;
  let failed = 0;
  for (const check of checks) {
    const { code } = await shown(check);
    if (code === 0) passed++;
    else failed++;
  }
  // Tests the installed wheel, not the sources beside it.
  const { code, output } = await shown(['-m', 'pytest', '-o', 'pythonpath=', ...filters]);
  const counted = (word: string): number => Number(new RegExp(`(\\d+) ${word}`).exec(output.split('\n').slice(-3).join('\n'))?.[1] ?? 0);
  passed += counted('passed');
  failed += counted('failed') + counted('errors?');
  if (code !== 0 && failed === 0) failed++;
  return { passed, failed, notRun: null };
}

/** Creates the virtual environment, once per list of requirements. */
async function prepare(): Promise<void> {
  const requirements = join(client, 'requirements-test.txt');
  const stamp = join(environment, '.installed');
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(environment, { recursive: true, force: true });
  await run(process.env['TEST_PYTHON'] ?? 'python3', ['-m', 'venv', environment]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '-r', requirements], { maxBuffer: 16 * 1024 * 1024 });
  writeFileSync(stamp, wanted);
}

/** Runs Python in the client's folder and shows its output. */
function shown(parameters: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(python, parameters, { cwd: client, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      process.stdout.write(chunk);
      output = (output + chunk.toString()).slice(-10_000);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
