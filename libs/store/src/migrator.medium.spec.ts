import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEmptyDatabase, describeWith, type TestDatabase } from '#testing';
import { migrate, readMigrations, SchemaMismatch } from './migrator.ts';
import { prepareDatabase } from './prepare-database.ts';

describeWith(['postgres'], 'migrate', () => {
  let database: TestDatabase;
  let folder: string;

  beforeEach(async () => {
    database = await createEmptyDatabase();
    await prepareDatabase({ adminUrl: database.adminUrl, database: database.name, passwords: {} });
    folder = await mkdtemp(join(tmpdir(), 'plotline-migrations-'));
    await writeFile(join(folder, '0001_one.sql'), 'create table one (id int primary key); comment on table one is $$a;b$$;');
  });
  afterEach(async () => {
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const query = async (sql: string) => {
    const client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(sql);
    await client.end();
    return rows;
  };
  const add = (file: string, sql: string) => writeFile(join(folder, file), sql);
  const run = () => migrate(database.migratorUrl, { folder });

  it('applies each file once, in order, and records number, name and checksum', async () => {
    await add('0002_two.sql', 'alter table one add column two int;');
    expect((await run()).map(({ name }) => name)).toEqual(['one', 'two']);
    expect(await run()).toEqual([]);
    await add('0003_three.sql', 'create table three ();');
    expect((await run()).map(({ number }) => number)).toEqual([3]);
    const known = await readMigrations(folder);
    expect(await query('select number, name, sha256 from schema_migration order by number')).toEqual(
      known.map(({ number, name, sha256 }) => ({ number, name, sha256 })),
    );
  });

  it('creates tables that belong to the role without a login', async () => {
    await run();
    expect(await query(`select tableowner from pg_tables where tablename = 'one'`)).toEqual([{ tableowner: 'plotline_owner' }]);
  });

  it('rolls back a file that fails, and names it', async () => {
    await add('0002_two.sql', 'create table two (); select 1/0;');
    await expect(run()).rejects.toThrow(/Migration 2 \(two\) failed: division by zero/);
    expect(await query(`select to_regclass('one') is not null as one, to_regclass('two') as two`)).toEqual([{ one: true, two: null }]);
    expect(await query('select number from schema_migration')).toEqual([{ number: 1 }]);
  });

  it('keeps a newer schema, unless it is marked as a contract', async () => {
    await add('0002_two.sql', 'create table two ();');
    await add('0003_three.sql', '-- plotline:contract\ndrop table two;');
    await run();
    await rm(join(folder, '0003_three.sql'));
    await expect(run()).rejects.toThrow(SchemaMismatch);
    await rm(join(folder, '0002_two.sql'));
    await expect(run()).rejects.toThrow(
      /applied migration 3, and the schema no longer works with this version, which knows migrations up to 1/,
    );
    await query('delete from schema_migration where number = 3 returning number');
    const lines: string[] = [];
    expect(await migrate(database.migratorUrl, { folder, log: (line) => lines.push(line) })).toEqual([]);
    expect(lines).toEqual(['the database is at migration 2, and this Plotline knows 1; it works with the newer schema']);
    await add('0001_one.sql', 'create table one (id bigint primary key);');
    await expect(run()).rejects.toThrow(/Migration 1 \(one\)/);
  });

  it('waits for the locks of a long transaction without blocking others, and continues when it ends', async () => {
    await run();
    await add('0002_two.sql', 'alter table one add column two int;');
    const reader = new pg.Client({ connectionString: database.adminUrl });
    await reader.connect();
    try {
      await reader.query('begin; select from one');
      const lines: string[] = [];
      const waits = Promise.withResolvers<void>();
      const migrated = migrate(database.migratorUrl, {
        folder,
        log: (line) => {
          lines.push(line);
          waits.resolve();
        },
      });
      await waits.promise;
      expect(await query('select * from one')).toEqual([]); // nothing queues behind the migration while it pauses
      await reader.query('commit');
      expect((await migrated).map(({ name }) => name)).toEqual(['two']);
      expect(lines).toEqual(['migration 2 (two) waits for a lock of another transaction; retrying', 'applied migration 2 (two)']);
      await reader.query('begin; select from one');
      await add('0003_three.sql', 'alter table one add column three int;');
      await expect(migrate(database.migratorUrl, { folder, maxWaitMs: 0 })).rejects.toThrow(/Migration 3 \(three\) failed: .*lock timeout/);
    } finally {
      await reader.end();
    }
  });

  it('rejects an applied file that was edited', async () => {
    await run();
    await add('0001_one.sql', 'create table one (id bigint primary key);');
    await add('0002_two.sql', 'create table two ();');
    await expect(run()).rejects.toThrow(/0001|Migration 1 \(one\)/);
    expect(await query(`select to_regclass('two') as two`)).toEqual([{ two: null }]);
  });

  it('applies each file once when two processes start at once', async () => {
    const applied = await Promise.all([run(), run(), run()]);
    expect(applied.flat().map(({ number }) => number)).toEqual([1]);
  });

  it('runs a marked file outside a transaction, also when several processes migrate', async () => {
    await add('0002_index.sql', '-- plotline:no-transaction\ncreate index concurrently one_id on one (id);');
    const applied = await Promise.all([run(), run(), run()]);
    expect(applied.flat().map(({ number }) => number)).toEqual([1, 2]);
    expect(await query(`select to_regclass('one_id')::text as name`)).toEqual([{ name: 'one_id' }]);
  });

  it('rebuilds an index that an interrupted migration left invalid', async () => {
    await add('0002_index.sql', '-- plotline:no-transaction\ncreate unique index concurrently one_note on one (note);');
    await add('0001_one.sql', `create table one (id int primary key, note text); insert into one values (1, 'a'), (2, 'a');`);
    await expect(run()).rejects.toThrow(/Migration 2 \(index\) failed: could not create unique index/);
    await query('delete from one where id = 2 returning id');
    await run();
    expect(await query(`select indisvalid from pg_index where indexrelid = 'one_note'::regclass`)).toEqual([{ indisvalid: true }]);
  });

  it('rejects gaps and duplicate numbers', async () => {
    await add('0003_three.sql', '');
    await expect(readMigrations(folder)).rejects.toThrow(/3 \(three\) is in place of 2/);
    await rm(join(folder, '0003_three.sql'));
    await add('0001_uno.sql', '');
    await expect(readMigrations(folder)).rejects.toThrow(/without gaps/);
  });
});

describeWith(['postgres'], 'prepareDatabase', () => {
  it('creates the database and the roles, also when several do it at once, and sets passwords with any characters', async () => {
    const database = await createEmptyDatabase();
    try {
      const before = { plotline_app: `plotline-test` };
      await Promise.all([1, 2, 3].map(() => prepareDatabase({ adminUrl: database.adminUrl, database: database.name, passwords: before })));
      const client = new pg.Client({ connectionString: database.appUrl });
      await client.connect();
      const { rows } = await client.query<{ user: string }>('select current_user as user');
      expect(rows).toEqual([{ user: 'plotline_app' }]);
      await client.end();
      const odd = new pg.Client({ connectionString: database.adminUrl });
      await odd.connect();
      await odd.query('create role plotline_odd_password login');
      const password = `a'b"c\\d $$ e`;
      await prepareDatabase({ adminUrl: database.adminUrl, database: database.name, passwords: { plotline_odd_password: password } });
      const asOdd = new URL(database.adminUrl);
      const login = new pg.Client({
        host: asOdd.hostname,
        port: Number(asOdd.port),
        database: database.name,
        user: 'plotline_odd_password',
        password,
      });
      await login.connect();
      await login.end();
      await odd.query('drop role plotline_odd_password');
      await odd.end();
    } finally {
      await database.drop();
    }
  });
});
