import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { globalTables, sweptTables } from './handles.ts';

describeWith(['postgres'], 'the types of the handles of a store', () => {
  let database: TestDatabase;
  let admin: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin?.end();
    await database?.drop();
  });

  it('have the tables and columns that the sweeper may read, and it may do nothing else', async () => {
    const { rows } = await admin.query<{ name: string; privileges: string[]; all: boolean; columns: string[] }>(
      `select c.relname as name, has_table_privilege(r.oid, c.oid, 'select') as all,
         array_agg(distinct p.privilege) filter (where has_column_privilege(r.oid, c.oid, a.attnum, p.privilege)) as privileges,
         array_agg(distinct a.attname::text) filter (where has_column_privilege(r.oid, c.oid, a.attnum, 'select')) as columns
       from pg_class c
       join pg_roles r on r.rolname = 'plotline_sweeper'
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       cross join unnest(array['select', 'insert', 'update']) as p (privilege)
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and (has_any_column_privilege(r.oid, c.oid, 'select, insert, update') or has_table_privilege(r.oid, c.oid, 'delete, truncate'))
       group by c.relname, r.oid, c.oid`,
    );
    expect(Object.fromEntries(rows.map(({ name, all, columns }) => [name, all ? null : columns]))).toEqual(sweptTables);
    expect([...new Set(rows.flatMap(({ privileges }) => privileges))]).toEqual(['select']);
    const { rows: removals } = await admin.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
         and has_table_privilege('plotline_sweeper', oid, 'delete, truncate')`,
    );
    expect(removals).toEqual([]);
  });

  it('have the tables without row-level security that the application may use', async () => {
    const { rows } = await admin.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
         and not relrowsecurity and has_any_column_privilege('plotline_app', oid, 'select')`,
    );
    expect(rows.map(({ name }) => name).sort()).toEqual([...globalTables].sort());
  });
});
