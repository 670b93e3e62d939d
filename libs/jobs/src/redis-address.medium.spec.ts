import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { experimentIdOf, runIdOf, tenantIdOf } from '#model/testing';
import { describeWith, freePort, type PrivateRedis, startRedis } from '#testing';
import { assertQueueRedis } from './assert-queue-redis.ts';
import { BullMqDispatcher } from './bullmq-dispatcher.ts';
import type { IngestRun } from './ingest-run.job.ts';
import type { RedisAddress } from './redis-address.ts';
import { RedisTokens } from './redis-tokens.ts';

const run = promisify(execFile);

const aRun = (): IngestRun => ({
  tenantId: tenantIdOf(randomUUID()),
  experimentId: experimentIdOf(randomBytes(11).toString('hex')),
  runId: runIdOf(String(Math.floor(Math.random() * 1e9))),
});

/** Runs jobs through a queue at this address, and resolves when each has run. */
async function expectJobs(dispatcher: BullMqDispatcher, done: Set<string>, jobs: readonly IngestRun[]): Promise<void> {
  for (const job of jobs) dispatcher.offer(job);
  await expect.poll(() => jobs.every(({ runId }) => done.has(runId)), { timeout: 30_000 }).toBe(true);
}

function dispatch(redis: RedisAddress): { dispatcher: BullMqDispatcher; done: Set<string> } {
  const done = new Set<string>();
  const dispatcher = new BullMqDispatcher({ redis, groupMs: 0, onError: () => undefined, name: randomUUID() });
  dispatcher.start(async (job) => {
    done.add(job.runId);
    return 'idle';
  }, 1);
  return { dispatcher, done };
}

describeWith(['redis'], 'a Redis with sentinels, ACL users and passwords', () => {
  const password = randomUUID();
  const sentinelPassword = randomUUID();
  const servers: PrivateRedis[] = [];
  const sentinels: { readonly child: ChildProcess; readonly port: number }[] = [];
  let folder: string;
  let address: RedisAddress;

  const acl = { requirepass: password, masterauth: password, 'repl-diskless-sync-delay': '0' };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plotline-sentinels-'));
    servers.push(await startRedis(acl));
    servers.push(await startRedis({ ...acl, replicaof: `127.0.0.1 ${servers[0]!.port}` }));
    for (const { port } of servers) {
      const admin = new Redis(port, '127.0.0.1', { password });
      await admin.call('ACL', 'SETUSER', 'plotline', 'on', `>${password}`, '~{plotline}:*', '~plotline:*', '+@all', '-@admin');
      admin.disconnect();
    }
    for (let i = 0; i < 3; i++) {
      const port = await freePort();
      const file = join(folder, `sentinel-${i}.conf`);
      await writeFile(
        file,
        [
          `port ${port}`,
          'bind 127.0.0.1',
          `dir ${folder}`,
          `requirepass ${sentinelPassword}`,
          `sentinel sentinel-pass ${sentinelPassword}`,
          `sentinel monitor queue 127.0.0.1 ${servers[0]!.port} 2`,
          `sentinel auth-pass queue ${password}`,
          'sentinel down-after-milliseconds queue 1000',
          'sentinel failover-timeout queue 5000',
        ].join('\n'),
      );
      const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
      sentinels.push({ child, port });
    }
    address = {
      url: `redis://plotline:${password}@queue/3`,
      sentinels: sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
      sentinelPassword,
    };
    const one = new Redis(sentinels[0]!.port, '127.0.0.1', { password: sentinelPassword });
    // A failover needs the replica, and two sentinels that know each other.
    const known = async () => String(await one.call('SENTINEL', 'MASTER', 'queue'));
    await vi.waitFor(async () => expect(await known()).toMatch(/num-slaves,1,num-other-sentinels,2/), { timeout: 30_000 });
    one.disconnect();
  });
  afterAll(async () => {
    for (const { child } of sentinels) {
      const gone = once(child, 'exit');
      if (child.kill('SIGKILL')) await gone;
    }
    await Promise.all(servers.map((server) => server.stop()));
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('is found by the name of its primary, and again after a failover', async () => {
    expect(await assertQueueRedis(address)).toMatchObject({ reachable: true });
    const { dispatcher, done } = dispatch(address);
    const tokens = new RedisTokens(address);
    try {
      await expectJobs(dispatcher, done, [aRun(), aRun()]);
      await expect.poll(() => tokens.take('a', 1, 60).catch(() => null), { timeout: 10_000 }).toMatchObject({ granted: 1 });
      await servers[0]!.kill();
      const replica = new Redis(servers[1]!.port, '127.0.0.1', { password });
      await expect.poll(async () => (await replica.role())[0], { timeout: 60_000 }).toBe('master');
      replica.disconnect();
      await expect.poll(() => tokens.take('b', 1, 60).catch(() => null), { timeout: 30_000 }).toMatchObject({ granted: 1 });
      await expect.poll(() => dispatcher.isDown, { timeout: 30_000 }).toBe(false);
      const before = dispatcher.counts.alone;
      await expectJobs(dispatcher, done, [aRun(), aRun()]);
      expect(dispatcher.counts.alone).toBe(before); // through the queue
    } finally {
      tokens.close();
      await dispatcher.close();
    }
  });

  it('is not found with a wrong password of the sentinels', async () => {
    expect(await assertQueueRedis({ ...address, sentinelPassword: 'wrong' })).toMatchObject({ reachable: false });
  });
});

describeWith(['redis'], 'a Redis with TLS', () => {
  let folder: string;
  let redis: PrivateRedis;
  let address: RedisAddress & { readonly url: string };
  let others: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plotline-redis-tls-'));
    const made = async (name: string): Promise<{ key: string; cert: string }> => {
      const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
      const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost'];
      await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert, ...subject]);
      return { key, cert };
    };
    const { key, cert } = await made('queue');
    others = await readFile((await made('other')).cert, 'utf8');
    const tlsPort = await freePort();
    redis = await startRedis({
      'tls-port': String(tlsPort),
      'tls-cert-file': cert,
      'tls-key-file': key,
      'tls-ca-cert-file': cert,
      'tls-auth-clients': 'no',
      requirepass: 'hush-hush',
    });
    address = { url: `rediss://:hush-hush@localhost:${tlsPort}`, ca: await readFile(cert, 'utf8') };
  });
  afterAll(async () => {
    await redis?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it('is used if its certificate is signed by one of the configured ones', async () => {
    expect(await assertQueueRedis(address)).toMatchObject({ reachable: true });
    const { dispatcher, done } = dispatch(address);
    await expectJobs(dispatcher, done, [aRun()]);
    await dispatcher.close();
  });

  it('is not used with another certificate, or under another name', async () => {
    expect(await assertQueueRedis({ ...address, ca: others })).toMatchObject({ reachable: false });
    const url = address.url.replace('localhost', '127.0.0.1');
    expect(await assertQueueRedis({ ...address, url })).toMatchObject({ reachable: false });
  });
});
