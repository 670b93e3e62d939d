import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PartState } from './parts.ts';
import { repositoryRoot } from './repository-root.ts';

const run = promisify(execFile);

/**
 * The packages for the conformance tests. Each set has a separate virtual environment. 2.15.0 is
 * the last release with a working `tensorboard dev upload`, and needs packages of the same age. Its
 * image plugins import `imghdr`, which Python 3.13 removed.
 */
const environments: Readonly<Record<'uploader' | 'viewer', readonly string[]>> = {
  uploader: ['tensorboard==2.15.0', 'numpy<2', 'setuptools<81', 'six', 'pandas<3'],
  viewer: ['tensorboard', 'setuptools<81'],
};

const pythons = ['python3.11', 'python3.12', 'python3.10', 'python3'];
const marker = 'plotline-packages';

/**
 * Stock TensorBoard: the folder that contains the environments `uploader` and `viewer`.
 * `TEST_TENSORBOARD` specifies the folder; the default is `.cache/conformance`. With `install`,
 * missing packages are installed there with `python3 -m venv` and pip.
 */
export async function findStockTensorBoard(install: boolean): Promise<PartState> {
  const folder = process.env.TEST_TENSORBOARD ?? join(repositoryRoot(), '.cache', 'conformance');
  const missing = Object.entries(environments).filter(([name, packages]) => !isMade(join(folder, name), packages));
  if (missing.length === 0) return { found: folder };
  if (!install) return { missing: `the environments of the conformance tests are not in ${folder}; npm run test:conformance creates them` };
  try {
    const python = await findPython();
    process.stderr.write(`Installing stock TensorBoard into ${folder} with pip; this takes a minute, once.\n`);
    await mkdir(folder, { recursive: true });
    for (const [name, packages] of missing) await make(python, join(folder, name), packages);
    return { found: folder };
  } catch (error) {
    return { missing: `stock TensorBoard could not be installed: ${(error as Error).message.slice(0, 500)}` };
  }
}

async function make(python: string, folder: string, packages: readonly string[]): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await run(python, ['-m', 'venv', folder]);
  await run(join(folder, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages], { timeout: 900_000 });
  writeFileSync(join(folder, marker), packages.join('\n'));
}

function isMade(folder: string, packages: readonly string[]): boolean {
  return existsSync(join(folder, marker)) && readFileSync(join(folder, marker), 'utf8') === packages.join('\n');
}

/** A Python from 3.9 to 3.12: `TEST_PYTHON`, or one on the PATH. */
async function findPython(): Promise<string> {
  const given = process.env.TEST_PYTHON;
  for (const python of given ? [given] : pythons) {
    const version = await run(python, ['-c', 'import sys, venv, ensurepip; print(sys.version_info[1])']).catch(() => null);
    const minor = Number(version?.stdout);
    if (minor >= 9 && minor < 13) return python;
  }
  throw new Error(`there is no Python 3.9 to 3.12 with venv (${given ?? pythons.join(', ')})`);
}
