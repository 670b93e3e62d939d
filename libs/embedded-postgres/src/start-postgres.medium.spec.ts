import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderInUse } from './folder-lock.ts';
import { readPostmasterFile } from './orphan.ts';
import { isAlive, processIdentity } from './process-identity.ts';
import { type EmbeddedPostgres, startPostgres, type StartPostgresOptions } from './start-postgres.ts';
import { runService, type ServiceProcess } from './testing/run-service.ts';
import { until } from './until.ts';

const root = process.getuid?.() === 0;
/** No entry in the user database, as in many containers. */
const stranger = { uid: 54_321, gid: 54_321 };

let parent: string;
let dataDir: string;
const running: EmbeddedPostgres[] = [];
const services: ServiceProcess[] = [];
const others: ChildProcess[] = [];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'plotline-embedded-')); // mode 0700
  dataDir = join(parent, 'data');
});
afterEach(async () => {
  for (const postgres of running.splice(0)) await postgres.stop();
  for (const service of services.splice(0)) {
    await service.kill();
    const file = await readPostmasterFile(join(dataDir, 'postgres'));
    if (file && isAlive(file.pid)) process.kill(file.pid, 'SIGQUIT');
    if (file) await until(async () => (await processIdentity(file.pid)) === null, 10_000);
  }
  for (const other of others.splice(0)) other.kill('SIGKILL');
  await rm(parent, { recursive: true });
});

const start = async (options: Partial<StartPostgresOptions> = {}) => {
  const postgres = await startPostgres({ dataDir, settings: { fsync: 'off', shared_buffers: '32MB' }, ...options });
  running.push(postgres);
  return postgres;
};
const serve = (as?: { uid: number; gid: number }) => {
  const service = runService(dataDir, as);
  services.push(service);
  return service;
};
const query = async (url: string, sql: string) => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // cut by a shutdown
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
};
const postmasterPid = async () => (await readPostmasterFile(join(dataDir, 'postgres')))!.pid;

describe('startPostgres', () => {
  it('creates a UTF-8 cluster with the C locale that requires a password', async () => {
    const postgres = await start();
    expect(
      await query(
        postgres.url(),
        `select current_setting('server_encoding') as encoding, datcollate as collate from pg_database where datname = 'postgres'`,
      ),
    ).toEqual([{ encoding: 'UTF8', collate: 'C' }]);
    const wrong = new URL(postgres.url());
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
  });

  it('listens on 127.0.0.1 only and applies settings', async () => {
    const postgres = await start({ settings: { fsync: 'off', shared_buffers: '32MB', work_mem: '7MB' } });
    const rows = await query(
      postgres.url(),
      `select current_setting('listen_addresses') as listen, current_setting('work_mem') as memory, current_setting('jit') as jit`,
    );
    expect(rows).toEqual([{ listen: '127.0.0.1', memory: '7MB', jit: 'off' }]);
  });

  it('keeps data, port and passwords over a restart', async () => {
    const first = await start();
    await query(first.url(), 'create table kept as select 42 as answer');
    const url = first.url();
    await first.stop();
    const second = await start();
    expect(second.url()).toBe(url);
    expect(await query(second.url(), 'select * from kept')).toEqual([{ answer: 42 }]);
  });

  it('keeps secrets readable for its own user alone, and off every command line', async () => {
    const postgres = await start();
    for (const name of await readdir(join(dataDir, 'secrets')))
      expect((await stat(join(dataDir, 'secrets', name))).mode & 0o777).toBe(0o600);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    if (process.platform === 'linux')
      expect(await readFile(`/proc/${await postmasterPid()}/cmdline`, 'utf8')).not.toContain(postgres.password('postgres'));
    expect(await readdir(dataDir)).not.toContain('postgres.new.password');
  });

  it('takes another port if its own is in use', async () => {
    const first = await start();
    await first.stop();
    const squatter = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${first.port}, '127.0.0.1', () => console.log('listening'))`,
    ]);
    others.push(squatter);
    await once(squatter.stdout, 'data');
    const second = await start();
    expect(second.port).not.toBe(first.port);
    expect(await query(second.url(), 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('reports what Postgres printed when it does not start, and unlocks the folder', async () => {
    await expect(start({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(/shared_buffers/);
    await start();
  });

  it('may be stopped twice, and starts again afterwards', async () => {
    const postgres = await start();
    const pid = await postmasterPid();
    await Promise.all([postgres.stop(), postgres.stop()]);
    expect(await processIdentity(pid)).toBeNull();
    await start();
  });

  it('clears a partly created cluster', async () => {
    await mkdir(join(dataDir, 'postgres.new', 'base'), { recursive: true });
    await writeFile(join(dataDir, 'postgres.new.password'), 'old');
    const postgres = await start();
    expect(await query(postgres.url(), 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('the data folder', () => {
  it('is locked for a second service while the first runs; the error has its pid', async () => {
    const service = serve();
    expect((await service.next()).state).toBe('ready');
    await expect(start()).rejects.toThrow(FolderInUse);
    await expect(start()).rejects.toThrow(new RegExp(`process ${service.child.pid}`));
    service.tell('stop');
    expect((await service.next()).state).toBe('stopped');
    await start();
  });

  it('goes to exactly one of several services that start at once, even with the lock of a dead one', async () => {
    await mkdir(join(dataDir, 'lock'), { recursive: true });
    await writeFile(join(dataDir, 'lock', '6'), `${process.pid} another-boot:1\n`); // our pid, recycled
    const contenders = [serve(), serve(), serve()];
    const output = await Promise.all(contenders.map((service) => service.next()));
    expect(output.map(({ state }) => state).sort()).toEqual(['failed', 'failed', 'ready']);
    for (const { state, name } of output) if (state === 'failed') expect(name).toBe('FolderInUse');
  });

  it('is taken over from a killed service, whose Postgres is stopped first', async () => {
    const service = serve();
    const { url } = await service.next();
    await query(url!, 'create table kept as select 42 as answer');
    const orphan = await postmasterPid();
    await service.kill();
    expect(await processIdentity(orphan)).not.toBeNull();
    const postgres = await start();
    expect(postgres.orphanStopped).toBe(true);
    expect(await postmasterPid()).not.toBe(orphan);
    expect(await processIdentity(orphan)).toBeNull();
    expect(await query(postgres.url(), 'select * from kept')).toEqual([{ answer: 42 }]);
  });

  it('is recovered when service and Postgres were both killed', async () => {
    const service = serve();
    const { url } = await service.next();
    await query(url!, 'create table kept as select 42 as answer');
    const pid = await postmasterPid();
    await service.kill();
    process.kill(pid, 'SIGKILL');
    const postgres = await start();
    expect(postgres.orphanStopped).toBe(false);
    expect(await query(postgres.url(), 'select * from kept')).toEqual([{ answer: 42 }]);
  });

  it('is usable when another program has the pid in postmaster.pid, and that program is not stopped', async () => {
    await (await start()).stop();
    const bystander = spawn('sleep', ['600']);
    others.push(bystander);
    await writeFile(
      join(dataDir, 'postgres', 'postmaster.pid'),
      `${bystander.pid}\n${join(dataDir, 'postgres')}\n1700000000\n5432\n\n127.0.0.1\n\nready\n`,
      { mode: 0o600 },
    );
    const postgres = await start();
    expect(postgres.orphanStopped).toBe(false);
    expect(await query(postgres.url(), 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  });
});

describe('Postgres', () => {
  it('restarts with its data on the same port after it was killed', async () => {
    const output: string[] = [];
    const postgres = await start({ log: (line) => output.push(line) });
    await query(postgres.url(), 'create table kept as select 42 as answer');
    for (let kill = 0; kill < 2; kill++) {
      const pid = await postmasterPid();
      process.kill(pid, 'SIGKILL');
      expect(await until(async () => output.filter((line) => line === 'Postgres is available again').length > kill, 60_000)).toBe(true);
      expect(await postmasterPid()).not.toBe(pid);
      expect(await query(postgres.url(), 'select * from kept')).toEqual([{ answer: 42 }]);
    }
  });

  it('can be stopped while it restarts', async () => {
    const postgres = await start();
    const pid = await postmasterPid();
    process.kill(pid, 'SIGKILL');
    await until(async () => (await processIdentity(pid)) === null, 10_000);
    await postgres.stop();
    const file = await readPostmasterFile(join(dataDir, 'postgres'));
    expect(file && (await processIdentity(file.pid))).toBeNull();
    await start();
  });

  it('survives Ctrl-C in the process group of the service, until the service stops it', async () => {
    const service = serve();
    const { url } = await service.next();
    process.kill(-service.child.pid!, 'SIGINT');
    expect((await service.next()).state).toBe('interrupted');
    expect(await query(url!, 'select 1 as one')).toEqual([{ one: 1 }]);
    service.tell('stop');
    expect((await service.next()).state).toBe('stopped');
  });

  it('ends with a service that exits without stopping it', async () => {
    const service = serve();
    await service.next();
    const pid = await postmasterPid();
    service.tell('exit');
    await once(service.child, 'exit');
    expect(await until(async () => (await processIdentity(pid)) === null, 30_000)).toBe(true);
  });
});

describe.skipIf(!root)('as root', () => {
  it.skipIf(!namespacesWork())(
    'runs in a user namespace below a folder that only root may enter, and keeps root as owner of all files',
    async () => {
      expect((await stat(parent)).mode & 0o777).toBe(0o700);
      const postgres = await start({ runAs: ['namespace'] });
      await query(postgres.url(), 'create table written as select 1 as one');
      expect(await query(postgres.url(), 'select * from written')).toEqual([{ one: 1 }]);
      expect((await stat(join(dataDir, 'postgres', 'PG_VERSION'))).uid).toBe(0);
    },
  );

  it('runs as an unprivileged user where there are no namespaces, below the same folder, and keeps that user', async () => {
    const first = await start({ runAs: ['user'] });
    expect(first.runAs).toBe('user');
    const owner = (await stat(join(dataDir, 'postgres', 'PG_VERSION'))).uid;
    expect(owner).not.toBe(0);
    await query(first.url(), 'create table kept as select 42 as answer');
    await first.stop();
    const second = await start(); // namespaces may work now, but the files are the user's
    expect(second.runAs).toBe('user');
    expect(await query(second.url(), 'select * from kept')).toEqual([{ answer: 42 }]);
  });

  it.skipIf(!namespacesWork())('moves a cluster from a namespace to a machine without namespaces', async () => {
    const first = await start({ runAs: ['namespace'] });
    await query(first.url(), 'create table kept as select 42 as answer');
    await first.stop();
    const second = await start({ runAs: ['user'] });
    expect(await query(second.url(), 'select * from kept')).toEqual([{ answer: 42 }]);
  });

  it('says what to do if neither works', async () => {
    await expect(start({ runAs: [] })).rejects.toThrow(/ordinary user.*PLOTLINE_DATABASE_URL/);
  });
});

describe.skipIf(!root || !reachableForOthers())('as an ordinary user', () => {
  const unprivileged = { uid: 65_534, gid: 65_534 };

  it.each([
    ['with a name', unprivileged, 'direct'],
    ['without an entry in the user database', stranger, 'namespace'],
  ] as const)('%s, works below a folder that no other user may enter', async (_, as, method) => {
    if (method === 'namespace' && !namespacesWork()) return;
    await chown(parent, as.uid, as.gid);
    await chmod(parent, 0o700);
    const service = serve(as);
    const output = await service.next();
    expect(output).toMatchObject({ state: 'ready', runAs: method });
    expect(await query(output.url!, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(as.uid);
    service.tell('stop');
    expect((await service.next()).state).toBe('stopped');
  });
});

function namespacesWork(): boolean {
  try {
    execFileSync('unshare', ['--user', '--map-user=65534', '--map-group=65534', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether other users can run the checkout. They cannot if it is below a folder that they may not
 * enter.
 */
function reachableForOthers(): boolean {
  try {
    execFileSync('setpriv', ['--reuid', '65534', '--regid', '65534', '--clear-groups', process.execPath, '--version'], { stdio: 'ignore' });
    execFileSync('setpriv', ['--reuid', '65534', '--regid', '65534', '--clear-groups', 'test', '-r', import.meta.filename], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}
