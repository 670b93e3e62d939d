import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeEventFile } from '#testing';

/*
 * The npm package has everything that `npx plotline` and `npx plotline serve` need, and no tests.
 */

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plotline-package-'));
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: root });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  await mkdir(join(folder, 'node_modules'));
  await run('tar', ['-xzf', join(folder, packed!.filename), '-C', join(folder, 'node_modules')]);
  await run('mv', [join(folder, 'node_modules/package'), join(folder, 'node_modules/plotline')]);
  // Like an installation by npm, but with the packages installed here: the package's dependencies,
  // and no other direct dependencies.
  const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  for (const name of Object.keys(dependencies)) {
    await mkdir(join(folder, 'node_modules', name, '..'), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const plotline = (...args: string[]): [string, string[]] => [
  process.execPath,
  [join(folder, 'node_modules/plotline/dist/apps/cli/src/main.js'), ...args],
];

it('contains no tests, test helpers or source maps', async () => {
  const files = await readdir(join(folder, 'node_modules/plotline'), { recursive: true });
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', join('migrations', 'roles.sql')]));
  expect(files.filter((name) => /\.spec\.|\/testing\/|\.map$|(^|\/)test\//.test(name))).toEqual([]);
});

it('serves, and accepts an upload by its own CLI', async () => {
  const env = { PATH: process.env['PATH'], HOME: folder, PLOTLINE_PORT: '0' };
  const service = spawn(...plotline('serve'), { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    for await (const line of createInterface({ input: service.stdout })) if (line.startsWith('Plotline is at ')) break;
    await mkdir(join(folder, 'runs/a'), { recursive: true });
    await writeFile(join(folder, 'runs/a/events.out.tfevents.1.host'), writeEventFile([{ step: 1, scalars: { loss: 0.5 } }]));
    const [program, args] = plotline('upload', '--logdir', 'runs', '--one-shot', '--json');
    const { PLOTLINE_PORT: _port, ...client } = env;
    const { stdout } = await run(program, args, { cwd: folder, env: client });
    expect(JSON.parse(stdout)).toMatchObject({ files: 1, points: 1 });
  } finally {
    service.kill('SIGTERM');
    if (service.exitCode === null) await once(service, 'close');
  }
  expect(service.exitCode).toBe(0);
});
