import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedPostgres, startPostgres } from '#embedded-postgres';
import { describeWith, freePort } from '#testing';
import { findHost, LiveClients } from './live-client.ts';
import { wrapConnect } from './pg-internals.ts';

const run = promisify(execFile);
const options = { connectionTimeoutMillis: 5_000 };

/** The server that a client has reached, given by its port. */
async function portOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ port: number }>('select inet_server_port() as port');
  return rows[0]!.port;
}

describeWith(['postgres'], 'a Postgres address with several hosts', () => {
  let folder: string;
  let servers: EmbeddedPostgres[];
  let dead: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plotline-hosts-'));
    dead = await freePort();
    servers = await Promise.all(['a', 'b'].map((name) => startPostgres({ dataDir: join(folder, name), settings: { fsync: 'off' } })));
    for (const server of servers) await administer(server, `create role app login password 'same'`);
    await becomePrimary(1);
  });
  afterAll(async () => {
    await Promise.all((servers ?? []).map((server) => server.stop()));
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  async function administer(server: EmbeddedPostgres, ...statements: string[]): Promise<void> {
    const client = new pg.Client({ connectionString: server.url() });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  /** Like a standby, the other server accepts no writes. */
  async function becomePrimary(index: number): Promise<void> {
    for (const [i, server] of servers.entries())
      await administer(server, `alter system set default_transaction_read_only = ${i === index ? 'off' : 'on'}`, 'select pg_reload_conf()');
  }

  const addressOf = (attributes: string): string =>
    `postgres://app:same@127.0.0.1:${dead},127.0.0.1:${servers[0]!.port},127.0.0.1:${servers[1]!.port}/postgres${attributes}`;

  it('leads to the first one that answers', async () => {
    const client = await new LiveClients(addressOf('')).connect(options);
    expect(await portOf(client)).toBe(servers[0]!.port);
    await client.end();
  });

  it('leads to the one that accepts writes, and to another one after a failover', async () => {
    const address = addressOf('?target_session_attrs=read-write');
    const clients = new LiveClients(address);
    const pool = new pg.Pool({ Client: clients.Client, max: 2 });
    wrapConnect(pool, (connect) => clients.retrying(connect));
    try {
      const first = await pool.connect();
      expect(await portOf(first)).toBe(servers[1]!.port);
      await becomePrimary(0);
      first.release(true); // the old primary has ended its connections
      const second = await pool.connect();
      expect(await portOf(second)).toBe(servers[0]!.port);
      second.release();
      expect(new URL(await findHost(address)).port).toBe(String(servers[0]!.port));
    } finally {
      await pool.end();
      await becomePrimary(1);
    }
  });

  it('fails if none of them does', async () => {
    const address = `postgres://app:same@127.0.0.1:${dead},127.0.0.1:${servers[0]!.port}/postgres?target_session_attrs=read-write`;
    await expect(new LiveClients(address).connect(options)).rejects.toThrow(/standby|ECONNREFUSED/);
  });

  it('a password that is changed in its file is taken for new connections, before and after Postgres knows it', async () => {
    const file = join(folder, 'address');
    const server = servers[1]!;
    const addressWith = (password: string): string => `postgres://app:${password}@127.0.0.1:${server.port}/postgres`;
    const next = randomBytes(16).toString('hex');
    await writeFile(file, `${addressWith(next)}\n`);
    const clients = new LiveClients({ file, atStart: addressWith('same') });
    const connects = async (): Promise<void> => (await clients.connect(options)).end();
    await connects();
    await expect.poll(() => new URL(clients.url).password, { timeout: 10_000 }).toBe(next); // read again
    await connects(); // Postgres rejects it, so the previous password is used
    await administer(server, `alter role app password '${next}'`);
    await connects();
    await administer(server, `alter role app password 'other'`);
    await expect(connects()).rejects.toMatchObject({ code: '28P01' });
    await administer(server, `alter role app password 'same'`);
  });
});

describeWith(['postgres'], 'a Postgres with TLS', () => {
  let folder: string;
  let postgres: EmbeddedPostgres;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plotline-tls-'));
    const make = (name: string) =>
      run(
        'openssl',
        `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${name} -addext subjectAltName=DNS:localhost -keyout ${name}.key -out ${name}.crt`.split(
          ' ',
        ),
        { cwd: folder },
      );
    await Promise.all(['server', 'other'].map(make));
    postgres = await startPostgres({
      dataDir: join(folder, 'data'),
      settings: { fsync: 'off', ssl: 'on', ssl_cert_file: join(folder, 'server.crt'), ssl_key_file: join(folder, 'server.key') },
    });
  });
  afterAll(async () => {
    await postgres?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const addressOf = (host: string, certificate: string): string =>
    `${postgres.url().replace('127.0.0.1', host)}?sslmode=verify-full&sslrootcert=${encodeURIComponent(join(folder, `${certificate}.crt`))}`;

  it('verify-full encrypts, and checks certificate and name', async () => {
    const client = await new LiveClients(addressOf('localhost', 'server')).connect(options);
    const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    expect(rows).toEqual([{ ssl: true }]);
    await client.end();
    await expect(new LiveClients(addressOf('localhost', 'other')).connect(options)).rejects.toThrow(/certificate/);
    await expect(new LiveClients(addressOf('127.0.0.1', 'server')).connect(options)).rejects.toThrow(/altnames|certificate/);
  });
});
