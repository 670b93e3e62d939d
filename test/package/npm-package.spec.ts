import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '#testing';
import { outputOf, plainEnvironment } from '../e2e/service.ts';

/*
 * The npm package, packed from the build with `npm pack`. Its content is always tested; its
 * installation and service are tested only on request (`npm run test:package`), because npm
 * downloads its dependencies unless they are in npm's cache.
 */

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const maxMegabytes = 250;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plotline-package-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs `npm ARGS`, which prints JSON. */
async function npm<T>(...args: string[]): Promise<T> {
  const { stdout } = await run('npm', [...args, '--json'], { cwd: root, maxBuffer: 64 << 20 });
  return JSON.parse(stdout) as T;
}

/** npm 11 prints a list, npm 12 an object by name. */
type Packed = readonly Pack[] | Readonly<Record<string, Pack>>;
interface Pack {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}
const one = (packed: Packed): Pack => Object.values(packed)[0] as Pack;

it('has what its programs load, and nothing of the tests', async () => {
  const paths = one(await npm<Packed>('pack', '--dry-run', '--ignore-scripts')).files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'dist/apps/cli/src/main.js',
      'dist/apps/standalone/src/main.js',
      'migrations/0001_tenants.sql',
      'README.md',
      'LICENSE',
    ]),
  );
  for (const folderOf of ['dist/threads/', 'dist/web/client/', 'dist/web/server/'])
    expect([folderOf, paths.some((path) => path.startsWith(folderOf))]).toEqual([folderOf, true]);
  expect(paths.filter((path) => /\.spec\.|\/testing\/|\.map$|\.ts$|^(test|bench|scripts|clients|docs)\//.test(path))).toEqual([]);
});

describe.runIf(process.env['TEST_PACKAGE'])('installed into an empty folder, without building', () => {
  let app: string;
  beforeAll(async () => {
    app = join(folder, 'app');
    await mkdir(app);
    await writeFile(join(app, 'package.json'), '{"name":"empty","private":true}');
    const { filename } = one(await npm<Packed>('pack', '--ignore-scripts', '--pack-destination', folder));
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: app });
  });
  const environment = () => ({
    ...plainEnvironment(),
    // This Node, linked where npx finds it.
    PATH: `${join(process.execPath, '..')}:${process.env['PATH']}`,
    XDG_STATE_HOME: folder,
    XDG_CONFIG_HOME: folder,
  });
  const program = () => join(app, 'node_modules/.bin/plotline');

  it(`takes at most ${maxMegabytes} MB`, async () => {
    expect((await bytesIn(join(app, 'node_modules'))) / 1e6).toBeLessThanOrEqual(maxMegabytes);
  });

  it('has the CLI', async () => {
    const { stdout } = await run(program(), ['--help'], { cwd: app, env: environment() });
    expect(stdout).toMatch(/\bupload\b[^]*\bserve\b/);
  });

  it('serves, from an empty data folder to the first response, and stops cleanly', async () => {
    const port = await freePort();
    const child: ChildProcess = spawn(program(), ['serve'], {
      cwd: app,
      env: { ...environment(), PLOTLINE_PORT: String(port), PLOTLINE_DATA_DIR: join(folder, 'data') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = outputOf(child);
    try {
      const serves = new Promise<void>((resolve) => {
        let output = '';
        child.stdout!.on('data', (piece: string) => {
          output += piece;
          if (output.includes('Plotline is at ')) resolve();
        });
      });
      await Promise.race([serves, ended.then(({ stdout, stderr }) => Promise.reject(new Error(`it ended: ${stdout}${stderr}`)))]);
      expect(await (await fetch(`http://127.0.0.1:${port}/api/v1/server`)).json()).toMatchObject({ name: 'plotline' });
      expect((await fetch(`http://127.0.0.1:${port}/sign-in`)).status).toBe(200);
    } finally {
      child.kill('SIGTERM');
      expect(await ended).toMatchObject({ code: 0 });
    }
  });
});

/** Returns the size in bytes of all files below a folder. */
async function bytesIn(path: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}
