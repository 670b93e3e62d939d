import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { chmod, chown, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '#testing';
import { Cli, Service, type ServiceOptions, type Uploaded } from './service.ts';

/*
 * The embedded service as a program: how it starts, stops and recovers, and the messages it prints
 * if it cannot.
 */

const root = join(import.meta.dirname, '../..');
const sample = join(root, 'test/data/logs/keras');
const isRoot = process.getuid?.() === 0;
const unprivileged = { uid: 65_534, gid: 65_534 };

/** Polls until `condition` is true; otherwise, the test's timeout ends the wait. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

/** Also false for a zombie, which has exited. */
async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
  const about = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return about.slice(about.lastIndexOf(')') + 2)[0] !== 'Z';
}

/** Creates a folder that only `owner` can enter. */
async function closedFolder(owner?: { uid: number; gid: number }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'plotline-closed-'));
  await chmod(folder, 0o700);
  if (owner) await chown(folder, owner.uid, owner.gid);
  return folder;
}

/** The service prints a sign-in link even without a terminal. */
const printLink = { PLOTLINE_PRINT_SIGN_IN_LINK: 'always' };

/** Returns the one-time link that the service printed. */
function signInLink(output: string): string {
  return /^.*(http:\/\/\S+\/sign-in\/\S+)$/m.exec(output)![1]!;
}

async function uploadSample(service: Service, ...args: string[]): Promise<Uploaded> {
  return new Cli(service, join(service.dataDir, 'state')).json<Uploaded>('upload', '--logdir', sample, '--one-shot', ...args);
}

async function verifySample(service: Service, experimentId: string): Promise<void> {
  const verified = await new Cli(service, join(service.dataDir, 'state')).run('verify', experimentId, '--logdir', sample);
  expect(verified, verified.stderr).toMatchObject({ code: 0 });
}

/** Returns files below `folder` that contain `text`. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await readFile(path)).includes(text)) found.push(path);
  }
  return found;
}

/** Opens a connection as the Postgres superuser. */
async function administrator(service: Service): Promise<pg.Client> {
  const port = (await readFile(join(service.dataDir, 'postgres.port'), 'utf8')).trim();
  const password = (await readFile(join(service.dataDir, 'secrets/postgres'), 'utf8')).trim();
  const client = new pg.Client({ connectionString: `postgres://postgres:${password}@127.0.0.1:${port}/plotline` });
  client.on('error', () => undefined); // Closed when Postgres stops.
  await client.connect();
  return client;
}

/** Returns the identity of the CLI on the service's machine. */
function whoamiOf(service: Service): Promise<unknown> {
  return service.json('/whoami');
}

const started: Service[] = [];
const folders: string[] = [];
async function start(options?: ServiceOptions): Promise<Service> {
  const service = await Service.prepare({ ...options, processes: 'embedded' });
  started.push(service);
  await service.start();
  return service;
}
afterEach(async () => {
  for (const service of started.splice(0)) await service.dispose();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

describe('a data folder', () => {
  let service: Service;
  let token: string;
  let uploaded: Uploaded;

  beforeAll(async () => {
    service = await Service.start({ processes: 'embedded', env: printLink });
    token = await service.token();
    uploaded = await uploadSample(service);
  });
  afterAll(() => service.dispose());

  it('gets an owner, a workspace and a token for the CLI at the first start', async () => {
    const file = join(service.dataDir, 'credentials.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ server: service.url, token });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const whoami = await new Cli(service, service.dataDir).json<Record<string, unknown>>('whoami');
    expect(whoami).toMatchObject({ server: service.url });
    expect((await fetch(`${service.url}/api/v1/experiments`)).status).toBe(401);
    expect(uploaded.url).toBe(`${service.url}/e/${uploaded.experiment_id}`);
  });

  it('signs a browser in once, read-only, with the printed link', async () => {
    const link = signInLink(service.output);
    expect(link.startsWith(`${service.url}/sign-in/`)).toBe(true);
    const first = await fetch(link, { redirect: 'manual' });
    expect(first.status).toBe(303);
    const cookie = first.headers.get('set-cookie')!;
    expect(cookie).toMatch(/; HttpOnly(;|$)/);
    expect(cookie).toMatch(/; SameSite=Strict(;|$)/);
    const headers = { cookie: cookie.split(';')[0]!, 'content-type': 'application/json' };
    expect((await fetch(uploaded.url, { headers })).status).toBe(200);
    expect((await fetch(`${service.url}/api/v1/experiments`, { headers })).status).toBe(200);
    const body = JSON.stringify({ name: 'by a cookie' });
    const written = await fetch(`${service.url}/api/v1/experiments`, { method: 'POST', headers, body });
    expect(written.status).toBe(403);

    const second = await fetch(link, { redirect: 'manual' });
    expect(second.status).toBe(404);
    expect(second.headers.get('set-cookie')).toBeNull();
  });

  it('creates its secret key once: a JWT remains valid across a restart', async () => {
    const body = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token: token,
    });
    const exchanged = await fetch(`${service.url}/api/v1/token`, { method: 'POST', body });
    const { access_token: jwt } = (await exchanged.json()) as { access_token: string };
    const whoami = () => fetch(`${service.url}/api/v1/whoami`, { headers: { authorization: `Bearer ${jwt}` } });
    expect([exchanged.status, (await whoami()).status]).toEqual([200, 200]);
    const file = join(service.dataDir, 'secrets/secret-key');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const secret = (await readFile(file, 'utf8')).trim();
    expect(await service.signal('SIGTERM')).toBe(0);
    expect(await filesWith(service.dataDir, secret)).toEqual([file]);
    await service.start();
    expect((await whoami()).status).toBe(200);
  });

  it('is locked for a second service while the first one runs', async () => {
    for (const port of [await freePort(), service.port]) {
      const second = await Service.refused({ dataDir: service.dataDir, port });
      expect(second).toMatchObject({ code: 1, stdout: '' });
      expect(second.stderr).toContain(`is in use by process ${service.pid}`);
      expect(second.stderr).not.toContain('    at '); // No stack trace.
    }
    expect((await service.fetch('/experiments')).status).toBe(200);
  });

  it('belongs to its first owner, even after other members create workspaces', async () => {
    for (let n = 1; n <= 5; n++) {
      const made = await service.fetch('/workspaces', { method: 'POST', body: JSON.stringify({ name: `Another ${n}` }) });
      expect(made.status).toBe(201);
    }
    const mine = await whoamiOf(service);
    const client = await administrator(service);
    // Each of these people has a token, as if a member had created one.
    await client.query(
      'insert into token_route (token_hash, tenant_id, token_id) select sha256(tenant_id::text::bytea), tenant_id, tenant_id from workspace',
    );
    await client.end();
    await service.signal('SIGTERM');
    await service.start();
    expect(await service.token()).toBe(token);
    expect(await whoamiOf(service)).toEqual(mine);
  });

  it('serves gRPC on the same port after a restart, so that clients continue', async () => {
    const target = async (): Promise<unknown> => (await service.json<{ grpc: unknown }>('/server')).grpc;
    const before = await target();
    await service.signal('SIGKILL');
    await service.start();
    expect(await target()).toEqual(before);
  });

  it('is read by a command that exits if its TensorBoard fails', async () => {
    const bin = await mkdtemp(join(tmpdir(), 'plotline-bin-'));
    folders.push(bin);
    await writeFile(join(bin, 'tensorboard'), '#!/bin/sh\nexit 2\n', { mode: 0o755 });
    const { ended } = new Cli(service, bin).spawn(['tensorboard', uploaded.experiment_id], { PATH: `${bin}:/usr/bin:/bin` });
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('tensorboard exited: with code 2')]);
  });

  it('keeps token and data across SIGKILL, and leaves no Postgres behind', async () => {
    const orphan = await service.postgresPid();
    await service.signal('SIGKILL');
    expect(await isRunning(orphan)).toBe(true);
    await service.start();
    expect(await isRunning(orphan)).toBe(false);
    expect(await service.token()).toBe(token);
    await verifySample(service, uploaded.experiment_id);
  });

  it('keeps token and data across a stop, which leaves no Postgres', async () => {
    const postgres = await service.postgresPid();
    expect(await service.signal('SIGTERM')).toBe(0);
    expect(await isRunning(postgres)).toBe(false);
    const holders = await filesWith(service.dataDir, token);
    // The server stores only a hash.
    expect(holders).toEqual([join(service.dataDir, 'credentials.json')]);
    await service.start();
    expect(await service.token()).toBe(token);
    await verifySample(service, uploaded.experiment_id);
    expect(await uploadSample(service)).toMatchObject({ experiment_id: uploaded.experiment_id, uploaded_bytes: 0 });
  });

  it('works in another folder if it was copied while stopped', async () => {
    await service.signal('SIGTERM');
    const parent = await closedFolder();
    folders.push(parent);
    await cp(service.dataDir, join(parent, 'restored'), { recursive: true });
    const restored = await start({ dataDir: join(parent, 'restored') });
    expect(await restored.token()).toBe(token);
    expect(JSON.parse(await readFile(join(restored.dataDir, 'credentials.json'), 'utf8'))).toMatchObject({ server: restored.url });
    await verifySample(restored, uploaded.experiment_id);
  });

  it('gets a new token if credentials.json is lost, or is from another folder', async () => {
    await service.signal('SIGTERM');
    await rm(join(service.dataDir, 'credentials.json'));
    await service.start();
    const second = await service.token();
    expect(second).not.toBe(token);
    await verifySample(service, uploaded.experiment_id);

    await service.signal('SIGTERM');
    const stranger = `${second.slice(0, -6)}AAAAAA`;
    const file = join(service.dataDir, 'credentials.json');
    await writeFile(file, JSON.stringify({ server: service.url, token: stranger }));
    await service.start();
    expect([token, second, stranger]).not.toContain(await service.token());
    await verifySample(service, uploaded.experiment_id);
  });

  it('of an incompatible newer Plotline is rejected and left unchanged', async () => {
    const client = await administrator(service);
    const hash = createHash('sha256').update(token).digest();
    expect((await client.query('select from token_route where token_hash = $1', [hash])).rowCount).toBe(1);
    await client.query(`insert into schema_migration (number, name, sha256, contract) values (9999, 'from_the_future', '', true)`);
    await client.end();
    const postgres = await service.postgresPid();
    await service.signal('SIGTERM');
    const rejected = await Service.refused({ dataDir: service.dataDir });
    expect(rejected).toMatchObject({ code: 1, stdout: '' });
    expect(rejected.stderr).toContain('A newer Plotline applied migration 9999, and the schema no longer works with this version');
    expect(rejected.stderr).not.toContain('    at ');
    expect(await isRunning(postgres)).toBe(false);
    // Stopped cleanly.
    expect(existsSync(join(service.dataDir, 'postgres/postmaster.pid'))).toBe(false);
  });
});

describe('a stop', () => {
  /** Collects the events of an experiment. */
  function follow(service: Service, experimentId: string): { open: Promise<unknown>; end: Promise<string> } {
    const open = service.fetch(`/experiments/${experimentId}/events`);
    const end = open
      .then((stream) => stream.text())
      .then(
        () => 'ended',
        () => 'cut',
      );
    return { open, end };
  }

  /** Starts an upload with a body that never ends. */
  function sendSlowly(service: Service): { open: Promise<unknown>; end: Promise<string> } {
    const { promise: end, resolve } = Promise.withResolvers<string>();
    const open = (async () => {
      const { id } = await service.json<{ id: string }>('/experiments', { name: 'never complete' });
      const { file_id: fileId } = await service.json<{ file_id: string }>(`/experiments/${id}/files`, {
        run: 'slow',
        name: 'events.out.tfevents.1.slow',
      });
      const authorization = `Bearer ${await service.token()}`;
      const headers = { authorization, 'upload-offset': 0, 'content-length': 1_000_000, 'content-digest': 'crc32c=:AAAAAA==:' };
      const sending = request(`${service.url}/api/v1/files/${fileId}`, { method: 'PATCH', headers });
      sending.on('response', () => resolve('answered')).on('error', () => resolve('cut'));
      await new Promise((sent) => sending.write(Buffer.alloc(1000), sent));
    })();
    return { open, end };
  }

  it.each(['SIGTERM', 'SIGINT'] as const)('by %s is clean during uploads and with open event streams', async (signal) => {
    const service = await start({ ownGroup: true });
    const { experiment_id: id } = await uploadSample(service);
    const postgres = await service.postgresPid();
    const cli = new Cli(service, join(service.dataDir, 'state'));
    const watching = cli.spawn(['upload', '--logdir', sample]);
    const firstOutput = once(watching.child.stdout!, 'data'); // The URL of the experiment.
    const events = follow(service, id);
    const upload = signal === 'SIGINT' ? sendSlowly(service) : null;
    await Promise.all([events.open, upload?.open, firstOutput]);
    expect(await service.signal(signal)).toBe(0);
    expect(await isRunning(postgres)).toBe(false);
    expect(await events.end).toBe('ended');
    if (upload) expect(await upload.end).toBe('cut');

    await service.start();
    watching.child.kill('SIGINT');
    expect((await watching.ended).code).toBe(130);
    await verifySample(service, id);
  });

  it('does not wait for long work, which is done after the next start', async () => {
    const service = await start();
    const administration = await administrator(service);
    // A transaction sees only one state of pg_stat_activity.
    const observer = await administrator(service);
    const cli = new Cli(service, join(service.dataDir, 'state'));
    // Ingest can store nothing new.
    await administration.query('begin; lock table series in exclusive mode');
    const watching = cli.spawn(['upload', '--logdir', sample]);
    const waits = `select from pg_stat_activity where usename = $1 and wait_event_type = 'Lock'`;
    await until(async () => (await observer.query(waits, ['plotline_ingest'])).rowCount! > 0);
    // Experiments cannot be listed either.
    await administration.query('lock table person in access exclusive mode');
    const asked = service.fetch('/experiments').then(
      ({ status }) => status,
      () => 'cut',
    );
    await until(async () => (await observer.query(waits, ['plotline_app'])).rowCount! > 0);
    const postgres = await service.postgresPid();
    expect(await service.signal('SIGTERM')).toBe(0);
    expect(['cut', 503]).toContain(await asked); // 503 if it waited too long for the lock before the stop.
    expect(await isRunning(postgres)).toBe(false);

    await service.start();
    watching.child.kill('SIGINT');
    await watching.ended;
    const { experiment_id: id } = await uploadSample(service);
    await verifySample(service, id);
    expect(service.output).not.toContain('could not be ingested');
  });

  it('during the start takes effect, too', async () => {
    const service = await Service.prepare({ ownGroup: true, processes: 'embedded' });
    started.push(service);
    const { ended } = service.spawn();
    const postgres = await service.postgresPid();
    expect(await service.signal('SIGINT')).toBe(0);
    expect(await isRunning(postgres)).toBe(false);
    expect((await ended).stdout).toBe('');
    await service.start();
  });
});

describe('Postgres killed from outside', () => {
  it('restarts, and the service continues without a restart', async () => {
    const service = await start();
    const { experiment_id: id } = await uploadSample(service);
    const pid = service.pid;
    const postgres = await service.postgresPid();
    process.kill(postgres, 'SIGKILL');
    await until(() => service.output.includes('Postgres is available again'));
    await until(async () => (await service.fetch('/experiments')).status === 200);
    await verifySample(service, id);
    expect(await uploadSample(service, '--new')).toMatchObject({ points: expect.any(Number) });
    expect(service.pid).toBe(pid);
    expect(await service.postgresPid()).not.toBe(postgres);
  });
});

describe('settings', () => {
  it('that are unknown are rejected by name, before anything is touched', async () => {
    const dataDir = join(await closedFolder(), 'data');
    folders.push(dirname(dataDir));
    const rejected = await Service.refused({ dataDir, env: { PLOTLINE_PROT: '6101', PLOTLINE_LOG_LEVEL: 'loud' } });
    expect(rejected).toMatchObject({ code: 2, stdout: '' });
    expect(rejected.stderr).toContain('PLOTLINE_PROT');
    expect(rejected.stderr).toContain('PLOTLINE_LOG_LEVEL');
    expect(existsSync(dataDir)).toBe(false);
  });

  it('define the public URL of the service', async () => {
    const publicUrl = 'https://plots.example.org/plotline';
    const service = await start({ env: { ...printLink, PLOTLINE_HOST: '0.0.0.0', PLOTLINE_PUBLIC_URL: publicUrl } });
    expect(service.output).toContain(`Plotline is at ${publicUrl}\n`);
    expect(service.output).toContain(`${publicUrl}/sign-in/`);
    expect(service.output).toContain(`On this machine: ${service.url}\n`);
    expect(JSON.parse(await readFile(join(service.dataDir, 'credentials.json'), 'utf8'))).toMatchObject({ server: service.url });
    expect(await service.json('/experiments', { name: 'x' })).toMatchObject({ url: expect.stringContaining(`${publicUrl}/e/`) });
  });

  it('with an address that the service cannot listen on end it, with nothing left running', async () => {
    const dataDir = join(await closedFolder(), 'data');
    folders.push(dirname(dataDir));
    const other: Server = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    const rejected = await Service.refused({ dataDir, port });
    other.close();
    expect(rejected).toMatchObject({ code: 1, stdout: '' });
    expect(rejected.stderr).toContain(`Port ${port} of 127.0.0.1 is in use`);
    expect(rejected.stderr).toContain('PLOTLINE_PORT');
    expect(existsSync(join(dataDir, 'credentials.json'))).toBe(false);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);

    // TEST-NET-1, an address that no machine has.
    const elsewhere = await Service.refused({ dataDir, env: { PLOTLINE_HOST: '192.0.2.1' } });
    expect(elsewhere).toMatchObject({ code: 1 });
    expect(elsewhere.stderr).toContain('PLOTLINE_HOST');
  });
});

describe('below a folder that no other user may enter', () => {
  const asNobody = isRoot ? whyClosed(root) : 'only root can start a service as another user';

  it(`the service works for ${isRoot ? 'root' : 'an ordinary user'}`, () => worksBelowClosedFolder());

  it.skipIf(asNobody !== null)(`the service works for another user than root${asNobody === null ? '' : ` (${asNobody})`}`, () =>
    worksBelowClosedFolder(unprivileged),
  );

  async function worksBelowClosedFolder(as?: typeof unprivileged): Promise<void> {
    const parent = await closedFolder(as);
    folders.push(parent);
    const service = await start({ dataDir: join(parent, 'data'), ...(as && { as }) });
    expect(await stat(join(service.dataDir, 'credentials.json'))).toMatchObject({ uid: as?.uid ?? process.getuid!() });
    const { experiment_id: id } = await uploadSample(service);
    const postgres = await service.postgresPid();
    expect(await service.signal('SIGTERM')).toBe(0);
    expect(await isRunning(postgres)).toBe(false);
    await service.start();
    await verifySample(service, id);
  }
});

/** Returns the reason that other users cannot run this checkout's build; null if they can. */
function whyClosed(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return 'the checkout is below a folder that other users may not enter';
    if (at === dirname(at)) return null;
  }
}
