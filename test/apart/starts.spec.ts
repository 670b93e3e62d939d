import { spawn } from 'node:child_process';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith, freePort, nodeArgumentsOf, writeEventFile } from '#testing';
import { readExperiment } from '../e2e/rest-run.ts';
import { Sender } from '../e2e/sender.ts';
import { type CliResult, outputOf, plainEnvironment, Service } from '../e2e/service.ts';
import type { ProgramKind } from './program.ts';

/*
 * The messages of a process that cannot start or cannot work, for the operator who configures it.
 */

const kinds = ['upload', 'ingest', 'read'] as const;

/** Starts a program with no settings other than `env`. */
function startWith(script: 'start' | `start:${ProgramKind}`, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CliResult> {
  const child = spawn(process.execPath, [...nodeArgumentsOf(script), ...args], {
    cwd: '/',
    env: { ...plainEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return outputOf(child);
}

describe('a process without backends', () => {
  it.each(['start', 'start:upload', 'start:ingest', 'start:read'] as const)('npm run %s rejects arguments', async (script) => {
    const { code, stdout, stderr } = await startWith(script, ['--port=5', 'more']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^Unknown argument '--port'\\..*\nUsage: npm run ${script}\n$`));
  });

  it('reports all missing and malformed settings together', async () => {
    const named = async (kind: ProgramKind, env: NodeJS.ProcessEnv): Promise<string[]> => {
      const { code, stderr } = await startWith(`start:${kind}`, [], env);
      expect(code, stderr).toBe(2);
      return stderr
        .trimEnd()
        .split('\n')
        .map((line) => line.split(':')[0]!.replace('PLOTLINE_', ''));
    };
    const keys = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
    const url = (role: string): string => `${role}_DATABASE_URL`;
    const env = { PLOTLINE_S3_ENDPOINT: 'http://127.0.0.1:1', PLOTLINE_PORT: 'http' };
    expect(await named('upload', env)).toEqual(['PORT', url('APP'), url('SWEEPER'), 'REDIS_URL', ...keys]);
    expect(await named('ingest', env)).toEqual(['PORT', url('APP'), url('INGEST'), url('SWEEPER'), 'REDIS_URL', ...keys]);
    expect(await named('read', env)).toEqual(['PORT', url('APP'), 'SECRET_KEY', ...keys]);
    expect(await named('read', {})).toEqual([url('APP'), 'SECRET_KEY']);
  });

  it('waits for a Postgres that is down', async () => {
    const child = spawn(process.execPath, nodeArgumentsOf('start:read'), {
      cwd: '/',
      env: {
        ...plainEnvironment(),
        PLOTLINE_PORT: '0',
        PLOTLINE_SECRET_KEY: 'a secret key for this process only',
        PLOTLINE_APP_DATABASE_URL: `postgres://plotline_app:secret@127.0.0.1:${await freePort()}/plotline`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = outputOf(child);
    let printed = '';
    child.stderr.on('data', (piece: string) => (printed += piece));
    await expect.poll(() => printed, { timeout: 30_000 }).toContain('the database is not available yet; waiting');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
  });
});

describeWith(['postgres', 'redis', 's3'], 'a separate process', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start({ processes: 'apart' });
  });
  afterAll(() => service.dispose());

  /** Returns the error of a process that does not start with these settings. */
  const rejection = (kind: ProgramKind, env: NodeJS.ProcessEnv): Promise<string> =>
    service.apart.programs.start(kind, 1, env).then(
      () => expect.fail(`${kind} started`),
      (error: Error) => error.message,
    );
  const address = (role?: string, database = 'plotline'): string => service.apart.postgres.url(role, database);

  it.each([
    ...kinds.map((kind) => [kind, 'APP', 'a superuser', 'plotline_app'] as const),
    ['upload', 'APP', 'plotline_ingest', 'plotline_app'],
    ['read', 'APP', 'plotline_migrator', 'plotline_app'],
    ['ingest', 'INGEST', 'a superuser', 'plotline_ingest'],
    ['ingest', 'INGEST', 'plotline_app', 'plotline_ingest'],
    ['upload', 'SWEEPER', 'a superuser', 'plotline_sweeper'],
    ['ingest', 'SWEEPER', 'plotline_app', 'plotline_sweeper'],
  ] as const)('%s does not start if the URL of %s has the role of %s', async (kind, setting, role, wanted) => {
    const url = address(role === 'a superuser' ? undefined : role);
    const name = decodeURIComponent(new URL(url).username);
    const printed = await rejection(kind, { [`PLOTLINE_${setting}_DATABASE_URL`]: url });
    expect(printed).toContain(`PLOTLINE_${setting}_DATABASE_URL signs in as ${name}`);
    expect(printed).toContain(`but must sign in as ${wanted}.`);
    if (role === 'a superuser') expect(printed).toContain(`signs in as ${name}, a superuser,`);
    expect(printed).not.toContain('migration'); // It exits instead of waiting, which would not help.
    expect(printed).toMatch(/^\w+ ended \(1\)/);
  });

  it('does not start with a URL that Postgres rejects, and names the setting', async () => {
    const wrong = new URL(address('plotline_sweeper'));
    wrong.password = 'hush-hush';
    const printed = await rejection('ingest', { PLOTLINE_SWEEPER_DATABASE_URL: wrong.href });
    expect(printed).toContain(`PLOTLINE_SWEEPER_DATABASE_URL cannot sign in at ${wrong.host}: password authentication failed`);
    expect(printed).toContain('npm run migrate');
    expect(printed).not.toContain('hush-hush');
  });

  it('does not start with an unreachable object store, and names the setting', async () => {
    const [secret, bucket, endpoint] = await Promise.all([
      rejection('read', { PLOTLINE_S3_SECRET_ACCESS_KEY: 'hush-hush' }),
      rejection('read', { PLOTLINE_S3_BUCKET: 'no-such-bucket' }),
      rejection('read', { PLOTLINE_S3_ENDPOINT: `http://127.0.0.1:${service.apart.redis.port}` }),
    ]);
    expect(secret).toMatch(/403\. PLOTLINE_S3_ACCESS_KEY_ID or PLOTLINE_S3_SECRET_ACCESS_KEY is wrong/);
    expect(secret).not.toContain('hush-hush');
    expect(bucket).toMatch(/PLOTLINE_S3_BUCKET does not exist/);
    expect(endpoint).toMatch(/Does an S3 service answer at PLOTLINE_S3_ENDPOINT\?/);
    for (const printed of [secret, bucket, endpoint]) expect(printed).not.toContain('Unknown');
  }, 120_000);

  it('logs once that its role lacks a permission, loses nothing, and continues when it has it', async () => {
    const ingests = service.apart.programs.of('ingest').filter(({ pid }) => pid !== null);
    const admin = new pg.Client({ connectionString: address() });
    await admin.connect();
    const sender = await Sender.start(service);
    try {
      await admin.query('revoke insert on series from plotline_ingest');
      await sender.send('run', writeEventFile([{ step: 1, wallTime: 1, simpleValues: { loss: 1 } }]));
      const tries = new Set<string>();
      const look = async (): Promise<number> => {
        const { rows } = await admin.query<{ at: string }>('select retry_at::text as at from run_work where last_error is not null');
        for (const { at } of rows) tries.add(at);
        return tries.size;
      };
      // More attempts than are necessary to quarantine a record.
      await expect.poll(look, { timeout: 120_000, interval: 100 }).toBeGreaterThan(7);
      const reports = ingests.map(({ output }) => output.split('permission denied for table series').length - 1);
      expect(Math.max(...reports)).toBe(1);
      expect((await admin.query('select from run_work where failures > 0')).rowCount).toBe(0);
    } finally {
      await admin.query('grant insert on series to plotline_ingest');
      await admin.end();
    }
    await sender.visible();
    const { scalars } = (await readExperiment(service, sender.experimentId)).get('run')!.get('loss')!;
    expect(scalars).toHaveLength(1);
  }, 180_000);
});
