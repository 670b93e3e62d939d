import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '#testing';
import { type CliResult, outputOf, plainEnvironment } from './service.ts';

/* The commands of the README, run as documented: through npm, and from any folder. */

const root = join(import.meta.dirname, '../..');

let home: string;
let port: number;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'plotline-home-'));
  port = await freePort();
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Runs `npm run NAME -- ARGS` in `home`, in its own process group, as in a terminal. */
function npm(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): { child: ChildProcess; ended: Promise<CliResult> } {
  const own = {
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
    PLOTLINE_PORT: String(port),
    ...env,
  };
  const command = ['--prefix', root, 'run', '--silent', name, '--', ...args];
  const child = spawn('npm', command, {
    cwd: home,
    env: { ...plainEnvironment(), ...own },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, ended: outputOf(child) };
}

/** Resolves when the process has printed `text` to stdout. */
function printed(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    child.stdout!.on('data', (piece: string) => {
      stdout += piece;
      if (stdout.includes(text)) resolve();
    });
    child.once('exit', () => reject(new Error(`exited without printing ${text}`)));
  });
}

/** Sends Ctrl-C as in a terminal: to npm, its shell and the service at the same time. */
function ctrlC(child: ChildProcess): void {
  process.kill(-child.pid!, 'SIGINT');
}

function noPostgres(dataDir: string): boolean {
  return !existsSync(join(dataDir, 'postgres/postmaster.pid'));
}

describe('npm run demo', () => {
  it('-- --once uploads the sample, reads it back and exits with 0, any number of times', async () => {
    for (let round = 0; round < 2; round++) {
      const { code, stdout, stderr } = await npm('demo', ['--once']).ended;
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stdout).toMatch(new RegExp(`^View your experiment at: http://127\\.0\\.0\\.1:${port}/e/[A-Za-z0-9]{22}$`, 'm'));
      expect(stdout).toContain('To sign in, run: npm run -s plotline -- login-link');
      expect(stdout + stderr).not.toContain('/sign-in/'); // a log is no place for a credential
      expect(stdout + stderr).not.toContain('{"level"'); // for people
    }
    expect(noPostgres(join(home, '.plotline'))).toBe(true);
  });

  it('serves until Ctrl-C; the link that it prints on request leads to the experiment', async () => {
    const { child, ended } = npm('demo', [], { PLOTLINE_PRINT_SIGN_IN_LINK: 'always' });
    await printed(child, 'Ctrl-C');
    ctrlC(child);
    const { stdout } = await ended;
    const [, experiment] = /^View your experiment at: http:\/\/[^/]+(\/e\/\S+)$/m.exec(stdout)!;
    expect(stdout).toMatch(new RegExp(`/sign-in/[A-Za-z0-9]+\\?next=${experiment}$`, 'm'));
    expect(noPostgres(join(home, '.plotline'))).toBe(true);
  });

  it('reports that its port is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    const { code, stderr } = await npm('demo', ['--once']).ended;
    other.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`Port ${port} of 127.0.0.1 is in use`);
    expect(noPostgres(join(home, '.plotline'))).toBe(true);
  });
});

describe('npm start', () => {
  it('serves the data folder of the working directory, as does the CLI there, until Ctrl-C', async () => {
    await mkdir(join(home, 'logs'), { recursive: true });
    await cp(join(root, 'test/data/logs/keras'), join(home, 'logs/keras'), { recursive: true });
    const { child, ended } = npm('start');
    await printed(child, 'To sign in, ');
    const credentials = JSON.parse(await readFile(join(home, '.plotline/credentials.json'), 'utf8')) as { server: string };
    expect(credentials.server).toBe(`http://127.0.0.1:${port}`);

    const upload = await npm('plotline', ['upload', '--logdir', 'logs/keras', '--one-shot', '--json']).ended;
    expect(upload, upload.stderr).toMatchObject({ code: 0 });
    const { experiment_id: id } = JSON.parse(upload.stdout) as { experiment_id: string };
    const verify = await npm('plotline', ['verify', id, '--logdir', './logs/keras']).ended;
    expect(verify, verify.stderr).toMatchObject({ code: 0 });

    ctrlC(child);
    const { stdout, stderr } = await ended;
    expect(stdout).toMatch(new RegExp(`^Plotline is at http://127\\.0\\.0\\.1:${port}$`, 'm'));
    expect(stderr).not.toMatch(/error/i);
    expect(stdout + stderr).not.toContain('/sign-in/'); // no terminal
    expect(noPostgres(join(home, '.plotline'))).toBe(true);
  });
});
