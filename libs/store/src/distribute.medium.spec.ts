import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEmptyDatabase, createTestDatabase, describeWith, type TestDatabase } from '#testing';
import type { Database } from './database.ts';
import { distribute, hasDistributedTables, withOwnerLogin } from './distribute.ts';
import { readIsolationFaults } from './queries/maintenance/read-isolation-faults.ts';

async function rowsOf(url: string, statement: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement, values)).rows;
  } finally {
    await client.end();
  }
}

async function faultsOf({ appUrl }: TestDatabase): Promise<string[]> {
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: appUrl, max: 1 }) }) });
  try {
    return await readIsolationFaults(db);
  } finally {
    await db.destroy();
  }
}

describeWith(['postgres'], 'a database without the extension', () => {
  let database: TestDatabase;
  beforeAll(async () => void (database = await createEmptyDatabase()));
  afterAll(() => database?.drop());

  it('is not distributed, and the error says what is missing', async () => {
    await rowsOf(database.adminUrl, 'drop extension if exists citus');
    expect(await hasDistributedTables(database.adminUrl)).toBe(false);
    await expect(distribute(database.adminUrl, { shards: 4 })).rejects.toThrow('does not have the extension citus');
  });
});

describeWith(['postgres', 'citus'], 'a distributed database', () => {
  let database: TestDatabase;
  beforeAll(async () => void (database = await createTestDatabase()));
  afterAll(() => database?.drop());

  it('has all tables of tenants colocated, and global tables on every node', async () => {
    const tables = await rowsOf(
      database.adminUrl,
      `select c.relname as name, d.partmethod as method, d.colocationid as place from pg_class c
       left join pg_dist_partition d on d.logicalrelid = c.oid where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
         and exists (select from pg_roles r where r.oid = c.relowner and r.rolname = 'plotline_owner') order by 1`,
    );
    expect(tables.filter(({ method }) => method === null).map(({ name }) => name)).toEqual(['schema_migration']);
    const byTenant = await rowsOf(
      database.adminUrl,
      `select distinct attrelid::regclass::text as name from pg_attribute a join pg_dist_partition d on d.logicalrelid = a.attrelid
       where d.partmethod = 'h'`,
    );
    expect(byTenant.length).toBeGreaterThan(35);
    expect(new Set(tables.filter(({ method }) => method === 'h').map(({ place }) => place)).size).toBe(1);
    expect(await hasDistributedTables(database.appUrl)).toBe(true);
  });

  it('is unchanged when distributed again, and its owner cannot log in afterwards', async () => {
    const lines: string[] = [];
    const done = await withOwnerLogin(database.adminUrl, () =>
      distribute(database.adminUrl, { shards: 4, log: (line) => void lines.push(line) }),
    );
    expect(done).toEqual([]);
    expect(lines).toEqual(['every table is distributed already, over 2 workers']);
    expect(await rowsOf(database.adminUrl, `select rolcanlogin from pg_roles where rolname = 'plotline_owner'`)).toEqual([
      { rolcanlogin: false },
    ]);
  });

  it('is isolated while its owner can log in, as a rebalance needs it', async () => {
    expect(await withOwnerLogin(database.adminUrl, () => faultsOf(database))).toEqual([]);
  });

  it('shows a role no row of another tenant on any node, and keeps the audit log', async () => {
    const [mine, other] = ['00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000002'];
    for (const tenant of [mine, other]) {
      await rowsOf(database.adminUrl, `insert into workspace (tenant_id, name) values ($1, 'w')`, [tenant]);
      for (const days of [1, 400]) {
        await rowsOf(
          database.adminUrl,
          `insert into audit_entry (tenant_id, via, action, result, address, at) values ($1, 'service', 'a', 'done', '1.2.3.0/24', now() - make_interval(days => $2))`,
          [tenant, days],
        );
      }
    }
    expect(await faultsOf(database)).toEqual([]);
    const client = new pg.Client({ connectionString: database.appUrl });
    await client.connect();
    const attempt = async (statement: string): Promise<string> => {
      try {
        return `did ${(await client.query(statement)).rowCount}`;
      } catch (error) {
        return (error as pg.DatabaseError).code ?? String(error);
      }
    };
    try {
      expect(await attempt('select from audit_entry')).toBe('did 0');
      const asMine = async (statement: string) => {
        await client.query('begin');
        await client.query('select app_set_tenant($1)', [mine]);
        const result = await attempt(statement);
        await client.query('rollback');
        return result;
      };
      expect(await asMine('select from audit_entry')).toBe('did 2');
      expect(await asMine(`select from audit_entry where tenant_id = '${other}'`)).toBe('did 0');
      expect(await asMine(`insert into audit_entry (tenant_id, via, action, result) values ('${other}', 's', 'a', 'done')`)).toBe('42501');
      expect(await asMine(`update audit_entry set action = 'b' where tenant_id = '${mine}'`)).toBe('42501');
      expect(await asMine(`update audit_entry set address = 'b' where tenant_id = '${mine}'`)).toBe('42501');
      expect(await asMine(`update audit_entry set address = null where tenant_id = '${mine}'`)).toBe('did 2');
      expect(await asMine(`delete from audit_entry where tenant_id = '${mine}'`)).toBe('did 1');
    } finally {
      await client.end();
    }
  });
});
