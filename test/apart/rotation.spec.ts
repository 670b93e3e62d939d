import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openBlobStore } from '#blobs';
import { describeWith, findVersitygw } from '#testing';
import { Service } from '../e2e/service.ts';
import type { ApartService } from './apart-service.ts';
import { RotationLoad, usualBurst } from './rotation-load.ts';

const run = promisify(execFile);
const queueUser = 'plotline';
/** Longer than processes take to read a file again. */
const noticedMs = 2_500;
/** A connection that has been idle for this long is not about to be used. */
const idleMs = 3_000;

const secret = (): string => randomBytes(24).toString('hex');

/**
 * `ROTATIONS=all` also rotates secrets that take minutes: the other roles' passwords and the secret
 * key.
 */
const all = process.env.ROTATIONS === 'all';

describeWith(['postgres', 'redis', 's3'], 'each secret of a running service can be rotated in its file', () => {
  let service: Service;
  let load: RotationLoad;
  let admin: pg.Client;
  let queue: Redis;
  const first = { queue: secret(), key: `first-${randomBytes(4).toString('hex')}`, keySecret: secret() };

  /**
   * Replaces a secret as Kubernetes does: at any time, the file has either the old or the new
   * content.
   */
  async function put(name: string, value: string, apart = service.apart): Promise<void> {
    const file = apart.secretFile(name);
    await writeFile(`${file}.new`, `${value}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  /** Manages the S3 server's accounts as its operator does. */
  async function accounts(apart: ApartService, ...args: string[]): Promise<void> {
    const { endpoint, accessKeyId, secretAccessKey, region } = apart.s3;
    await run(await findVersitygw(), ['admin', ...args], {
      env: {
        ADMIN_ENDPOINT_URL: endpoint,
        ADMIN_ACCESS_KEY_ID: accessKeyId,
        ADMIN_SECRET_ACCESS_KEY: secretAccessKey,
        ADMIN_REGION: region,
      },
    });
  }

  const queueUrl = (password: string, apart = service.apart): string => `redis://${queueUser}:${password}@127.0.0.1:${apart.redis.port}`;

  beforeAll(async () => {
    service = await Service.start({
      processes: 'apart',
      secretFiles: true,
      env: { PLOTLINE_PUBLIC_REQUESTS_PER_MINUTE: '1000000' },
      onBackends: async (apart) => {
        await accounts(apart, 'create-user', '--access', first.key, '--secret', first.keySecret, '--role', 'admin');
        await put('PLOTLINE_S3_ACCESS_KEY_ID', first.key, apart);
        await put('PLOTLINE_S3_SECRET_ACCESS_KEY', first.keySecret, apart);
        queue = new Redis(apart.redis.url);
        await queue.call('ACL', 'SETUSER', queueUser, 'on', `>${first.queue}`, '~*', '&*', '+@all');
        await put('PLOTLINE_REDIS_URL', queueUrl(first.queue, apart), apart);
      },
    });
    admin = new pg.Client({ connectionString: service.apart.postgres.url(undefined, 'plotline') });
    await admin.connect();
  });
  afterAll(async () => {
    await admin?.end();
    queue?.disconnect();
    await service?.dispose();
  });

  beforeEach(async () => {
    load = await RotationLoad.start(service);
    await expect.poll(() => load.files, { timeout: 120_000 }).toBeGreaterThan(1);
  });
  /** The load continues after the rotation, and no request has failed. */
  afterEach(async () => {
    const { files, requests } = load;
    await expect.poll(() => load.files, { timeout: 120_000 }).toBeGreaterThan(files + 2);
    await load.stop();
    expect(load.failures).toEqual([]);
    expect(load.requests).toBeGreaterThan(requests);
  });

  it.each(
    [
      ['plotline_app', 'PLOTLINE_APP_DATABASE_URL'],
      ['plotline_ingest', 'PLOTLINE_INGEST_DATABASE_URL'],
      ['plotline_sweeper', 'PLOTLINE_SWEEPER_DATABASE_URL'],
    ].slice(0, all ? 3 : 1) as [string, string][],
  )('the database password of %s: the file first, then the role', async (role, name) => {
    const url = new URL((await readFile(service.apart.secretFile(name), 'utf8')).trim());
    url.password = secret();
    await put(name, url.href);
    await sleep(noticedMs);
    await reconnect(role); // with the new password, which Postgres does not know yet, and then with the old one
    await admin.query(`alter role ${role} password '${url.password}'`);
    await reconnect(role);
  });

  /** Ends the unused connections, and waits until the load has opened other connections. */
  async function reconnect(role: string): Promise<void> {
    load.burst = 2;
    await sleep(idleMs + 1_000);
    const { rows } = await admin.query<{ at: string }>('select clock_timestamp()::text as at');
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where usename = $1 and state = 'idle' and state_change < clock_timestamp() - make_interval(secs => $2)`,
      [role, idleMs / 1_000],
    );
    load.burst = usualBurst;
    const opened = async (): Promise<number> => {
      const { rows: found } = await admin.query('select from pg_stat_activity where usename = $1 and backend_start > $2::timestamptz', [
        role,
        rows[0]!.at,
      ]);
      return found.length;
    };
    await expect.poll(opened, { timeout: 60_000 }).toBeGreaterThan(0);
  }

  it('the Redis password: both are valid, the file, then the old one is removed', async () => {
    const password = secret();
    await queue.call('ACL', 'SETUSER', queueUser, `>${password}`);
    await put('PLOTLINE_REDIS_URL', queueUrl(password));
    await sleep(noticedMs);
    await queue.call('ACL', 'SETUSER', queueUser, `<${first.queue}`);
    const connected = await clients();
    await queue.call('CLIENT', 'KILL', 'USER', queueUser);
    await expect.poll(clients, { timeout: 30_000 }).toBe(connected);
  });

  /** Returns the number of connections that have signed in. */
  async function clients(): Promise<number> {
    const list = String(await queue.call('CLIENT', 'LIST'));
    return list.split('\n').filter((line) => line.includes(` user=${queueUser} `)).length;
  }

  it('the key of the bucket: a second one, the files, then the first is removed', async () => {
    const key = `second-${randomBytes(4).toString('hex')}`;
    const keySecret = secret();
    // The files change one after another, before the store knows the key.
    await put('PLOTLINE_S3_ACCESS_KEY_ID', key);
    await sleep(noticedMs);
    await put('PLOTLINE_S3_SECRET_ACCESS_KEY', keySecret);
    await sleep(noticedMs);
    await accounts(service.apart, 'create-user', '--access', key, '--secret', keySecret, '--role', 'admin');
    await accounts(service.apart, 'delete-user', '--access', first.key);
    const before = { ...service.apart.bucket, accessKeyId: first.key, secretAccessKey: first.keySecret };
    await expect(openBlobStore({ ...before, readOnly: true, limits: { attempts: 1 } })).rejects.toThrow('403');
    await sleep(noticedMs);
  });

  it.runIf(all)('the secret key: the file, then process by process', async () => {
    const signing = async (): Promise<number> => (await admin.query('select from signing_key')).rowCount ?? 0;
    const before = await signing();
    await put('PLOTLINE_SECRET_KEY', secret());
    for (const old of service.apart.programs.of('read').filter(({ serves }) => serves)) {
      await service.apart.programs.start('read');
      old.retire();
      await sleep(1_000); // both processes serve for a while
      expect((await old.end('SIGTERM')).code).toBe(0);
    }
    expect(await signing()).toBeGreaterThan(before); // sealed with the new one
  });
});
