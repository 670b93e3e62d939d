import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFromStream } from 'pg-copy-streams';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { TimedClient } from './timed-client.ts';
import { backendPid, isRunning, movedBytes, socketOf, together, withoutPipeline } from './pg-internals.ts';

/* Checks the undocumented node-postgres properties that we use. */

describeWith(['postgres'], 'undocumented properties of node-postgres', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new pg.Pool({ Client: TimedClient, connectionString: database.adminUrl, max: 1 });
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  it('have the socket, also before it connects', async () => {
    const client = new pg.Client({ connectionString: database.adminUrl });
    expect(socketOf(client)).toBeInstanceOf(Socket);
    expect(backendPid(client)).toBeNull();
    const socket = socketOf(client);
    await client.connect();
    expect(socketOf(client)).toBe(socket);
    const before = movedBytes(socket);
    await client.query(`select repeat('x', 1000)`);
    expect(movedBytes(socket)).toBeGreaterThan(before + 1_000);
    await client.end();
  });

  it('have the process id of the backend', async () => {
    const client = await pool.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    expect(backendPid(client)).toBe(rows[0]!.pid);
    client.release();
  });

  it('show whether a statement runs', async () => {
    const client = await pool.connect();
    expect(isRunning(client)).toBe(false);
    const query = client.query('select 1');
    expect(isRunning(client)).toBe(true);
    await query;
    // The driver records the end of a statement only when the server is ready for the next
    // statement.
    await client.query('select 1');
    client.release();
  });

  it('send what is corked in one write', async () => {
    const client = await pool.connect();
    const sent = together(client, () => {
      const both = [client.query('select 1 as n'), client.query('select 2 as n')];
      expect(socketOf(client).writableLength).toBeGreaterThan(0);
      return both;
    });
    expect(socketOf(client).writableCorked).toBe(0);
    expect((await Promise.all(sent)).map(({ rows }) => (rows as { n: number }[])[0]!.n)).toEqual([1, 2]);
    client.release();
  });

  it('turn pipelining off and on, without which COPY is rejected', async () => {
    const client = new pg.Client({ connectionString: database.adminUrl, pipeline: true });
    await client.connect();
    await client.query('create temp table copied (n int)');
    const copy = (): Promise<void> => finished(Readable.from(['1\n2\n']).pipe(client.query(copyFromStream('copy copied from stdin'))));
    await expect(copy()).rejects.toThrow('not supported in pipeline mode');
    await withoutPipeline(client, copy);
    const both = [client.query('select count(*)::int as n from copied'), client.query('select 3 as n')];
    expect((await Promise.all(both)).map(({ rows }) => (rows as { n: number }[])[0]!.n)).toEqual([2, 3]);
    await client.end();
  });

  it('end a connection whose socket is destroyed, with the message that we map', async () => {
    const client = await pool.connect();
    client.on('error', () => undefined);
    const query = client.query('select pg_sleep(60)');
    socketOf(client).destroy();
    await expect(query).rejects.toThrow(/^Connection terminated/);
    client.release(true);
  });

  it('the pool reports who releases a connection, and why', async () => {
    const released: unknown[] = [];
    const onRelease = (error: Error | undefined, client: pg.PoolClient): unknown => released.push([error, client]);
    pool.on('release', onRelease);
    const client = await pool.connect();
    client.release();
    pool.off('release', onRelease);
    expect(released).toHaveLength(1);
    expect((released[0] as unknown[])[0]).toBeFalsy();
    expect((released[0] as unknown[])[1]).toBe(client);
  });

  it('a prepared statement may have its name in its options', async () => {
    const client = await pool.connect();
    await client.query('/* prepared: contract */ select $1::int as n', [1]);
    const { rows } = await client.query<{ name: string }>('select name from pg_prepared_statements');
    expect(rows).toEqual([{ name: 'contract' }]);
    client.release();
  });
});
