import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { freePort, requiredParts } from '#testing';
import { plainEnvironment } from '../e2e/service.ts';
import { command, documentsOf, findCompose, findMissingImages } from './compose.ts';

/*
 * The image and the Compose file on a real Docker engine. Without a registry, stand-ins/make.sh
 * builds the base images.
 */

const root = join(import.meta.dirname, '../..');
const logdir = join(root, 'test/data/logs/damaged');
const ours = ['upload', 'ingest', 'read'];

interface Composition {
  readonly services: Readonly<Record<string, ComposedService>>;
}
interface ComposedService {
  readonly image: string;
  readonly read_only?: boolean;
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly ports?: readonly { readonly host_ip?: string; readonly published: string }[];
}

const compose = await findCompose();
const missing = await whatIsMissing();
const title = 'the services of docker-compose.yml';

describe.skipIf(missing !== null)(missing === null ? title : `${title} [needs docker: ${missing}]`, () => {
  const project = `plotline-test-${randomBytes(4).toString('hex')}`;
  let folder: string;
  let secrets: string;
  let port: number;
  let objectsPort: number;
  let experimentId: string;
  let composition: Composition;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plotline-compose-'));
    port = await freePort();
    objectsPort = await freePort();
    secrets = (await command('docker/secrets.sh', [])).stdout;
    await writeFile(join(folder, 'env'), secrets, { mode: 0o600 });
    composition = JSON.parse(await run('config', '--format', 'json')) as Composition;
    await run('build');
    await run('up', '--detach', '--wait', '--wait-timeout', '400', '--scale', 'read=2').catch(async (error: Error) => {
      throw new Error(`${await run('logs', '--tail', '20')}\n${error.message}`, { cause: error });
    });
  }, 1_200_000);

  afterAll(async () => {
    await run('down', '--volumes', '--timeout', '35');
    await rm(folder, { recursive: true });
  }, 120_000);

  /** Runs `docker compose ARGS` for this project; returns its output. */
  async function run(...args: string[]): Promise<string> {
    const [program, ...first] = compose!;
    const url = `http://127.0.0.1:${port}`;
    const { stdout } = await command(program, [...first, '--env-file', join(folder, 'env'), '--project-name', project, ...args], {
      ...plainEnvironment(),
      PLOTLINE_LISTEN: `127.0.0.1:${port}`,
      PLOTLINE_PUBLIC_URL: url,
      PLOTLINE_LISTEN_OBJECTS: `127.0.0.1:${objectsPort}`,
      PLOTLINE_OBJECTS_URL: `http://127.0.0.1:${objectsPort}`,
    });
    return stdout;
  }

  /** Returns the token from the first start. */
  async function ownersToken(): Promise<string> {
    const printed = await run('run', '--rm', '--no-deps', '--entrypoint', 'cat', 'migrate', '/data/credentials.json');
    return documentsOf<{ token: string }>(printed)[0]!.token;
  }

  /** Runs the CLI on this machine. */
  async function plotline(...args: string[]): Promise<string> {
    const { stdout } = await command(process.execPath, [join(root, 'dist/apps/cli/src/main.js'), ...args, '--json'], {
      ...plainEnvironment(),
      XDG_STATE_HOME: folder,
      XDG_CONFIG_HOME: folder,
      PLOTLINE_SERVER: `http://127.0.0.1:${port}`,
      PLOTLINE_TOKEN: await ownersToken(),
    });
    return stdout;
  }

  it('restricts every service, and pins the version of every image', () => {
    for (const [name, service] of Object.entries(composition.services)) {
      expect(service, name).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect([service.mem_limit, service.pids_limit], name).toEqual([expect.anything(), expect.anything()]);
      expect(service.image, name).toMatch(/^[^:]+:(v?\d|local$)/);
    }
    for (const name of ours) expect(composition.services[name], name).toMatchObject({ stop_grace_period: '35s' });
  });

  it('opens only the two ports of the proxy, and only on this machine', () => {
    const opened = Object.entries(composition.services).flatMap(([name, { ports = [] }]) => ports.map((mapping) => ({ name, ...mapping })));
    expect(opened).toEqual([
      expect.objectContaining({ name: 'proxy', host_ip: '127.0.0.1', published: String(port) }),
      expect.objectContaining({ name: 'proxy', host_ip: '127.0.0.1', published: String(objectsPort) }),
    ]);
  });

  it('has no secret in the image, neither in its layers nor in its settings', async () => {
    const { stdout: history } = await command('docker', ['history', '--no-trunc', '--format', '{{.CreatedBy}}', 'plotline:local']);
    const { stdout: image } = await command('docker', ['image', 'inspect', 'plotline:local']);
    for (const line of secrets.trim().split('\n')) expect(history + image).not.toContain(line.split('=')[1]);
    expect(image).not.toMatch(/PASSWORD|SECRET|_URL=|TOKEN/);
  });

  it.each(ours)('runs %s as a user without privileges or write access', async (service) => {
    const probe =
      'id -u; for f in /app /etc /usr/local/bin; do touch "$f/probe" 2>/dev/null && echo "wrote to $f"; done; grep CapEff /proc/self/status';
    expect((await run('exec', '-T', service, 'sh', '-c', probe)).trim().split(/\s+/)).toEqual(['1000', 'CapEff:', '0000000000000000']);
  });

  it('accepts logs at its single address, and returns every byte', async () => {
    ({ experiment_id: experimentId } = JSON.parse(await plotline('upload', '--logdir', logdir, '--one-shot')) as { experiment_id: string });
    const exported = join(folder, 'back');
    await plotline('verify', experimentId, '--logdir', logdir);
    await plotline('export', experimentId, '--format', 'raw', '--outdir', exported);
    const sent = await digests(logdir);
    const back = await digests(exported);
    for (const [file, digest] of back) expect(sent.get(file), file).toBe(digest);
    expect(back.size).toBeGreaterThan(50);
  });

  it('returns objects only to clients with a signed link', async () => {
    const asked = await fetch(`http://127.0.0.1:${port}/api/v1/experiments/${experimentId}/blob-sequences/query`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await ownersToken()}`, 'Content-Type': 'application/json' },
      body: '{}',
    });
    const [link] = new RegExp(`http://127\\.0\\.0\\.1:${objectsPort}/[^"]+`).exec(await asked.text())!;
    const response = await fetch(link);
    expect(response.status).toBe(200);
    const hex = createHash('sha256')
      .update(await response.bytes())
      .digest('hex');
    expect(new URL(link).pathname).toContain(hex);
    expect((await fetch(link.replace(/Signature=..../, 'Signature=0000'))).status).toBe(403);
    expect((await fetch(link.split('?')[0]!)).status).toBe(403);
    expect((await fetch(link, { method: 'DELETE' })).status).toBe(403);
  });

  it('checks every object with a command of the operator', async () => {
    const report = JSON.parse(await run('run', '--rm', '-T', 'admin', 'check', '--checksums')) as { checked: object; faults: object[] };
    expect(report.faults).toEqual([]);
    expect(Object.values(report.checked).some((count) => Number(count) > 0)).toBe(true);
  });

  it.each(ours)('shows the metrics of %s only to clients with the token', async (service) => {
    const token = /^METRICS_TOKEN=(.+)$/m.exec(secrets)![1]!;
    const ask = `const ask = (headers) => fetch('http://127.0.0.1:9464/metrics', { headers }).then((answer) => answer.status);
      ask({}).then(async (refused) => console.log(refused, await ask({ Authorization: 'Bearer ${token}' })))`;
    expect(await run('exec', '-T', service, 'node', '-e', ask)).toBe('401 200\n');
  });

  it('stops its processes cleanly: each exits with 0 within its grace period', async () => {
    await run('stop', ...ours);
    const ended = documentsOf<{ Service: string; ExitCode: number }>(await run('ps', '--all', '--format', 'json', ...ours));
    expect(ended.map(({ Service, ExitCode }) => `${Service}: ${ExitCode}`).toSorted()).toEqual([
      'ingest: 0',
      'read: 0',
      'read: 0',
      'upload: 0',
    ]);
  });
});

/**
 * Returns the reason that Compose cannot be tested here, or null. If `TEST_REQUIRE=docker` is set,
 * a missing part is an error.
 */
async function whatIsMissing(): Promise<string | null> {
  const engine = inject('parts').docker;
  if ('missing' in engine) return engine.missing;
  const reason = compose === null ? 'no docker compose' : await missingImages(compose);
  if (reason !== null && requiredParts(process.env.TEST_REQUIRE).includes('docker')) throw new Error(reason);
  return reason;
}

async function missingImages([program, ...args]: readonly [string, ...string[]]): Promise<string | null> {
  const { stdout: secrets } = await command('docker/secrets.sh', []);
  const env = {
    ...plainEnvironment(),
    ...Object.fromEntries(
      secrets
        .trim()
        .split('\n')
        .map((line) => line.split('=') as [string, string]),
    ),
  };
  const { stdout } = await command(program, [...args, 'config', '--images'], env);
  const base = /^ARG NODE_IMAGE=(\S+)$/m.exec(await readFile(join(root, 'Dockerfile'), 'utf8'))![1]!;
  const images = stdout
    .trim()
    .split('\n')
    .filter((image) => image !== 'plotline:local');
  const gone = await findMissingImages([base, ...images]);
  return gone.length === 0 ? null : `no registry for ${gone.join(', ')}; test/docker/stand-ins/make.sh builds stand-ins`;
}

/** Returns the SHA-256 of each file below a folder, by its relative path. */
async function digests(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found.set(
      path.slice(folder.length + 1),
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    );
  }
  return found;
}
