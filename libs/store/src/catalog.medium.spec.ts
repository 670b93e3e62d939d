import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, describeWith, isCluster, type TestDatabase } from '#testing';
import { globalTables } from './handles.ts';

/*
 * Reliability tests 26, 28 and 30 for the catalog: every row has a tenant, and each tenant has
 * separate keys and names.
 */

const policy = `(tenant_id = (NULLIF(current_setting('app.tenant'::text, true), ''::text))::uuid)`;
const applicationRoles = ['plotline_app', 'plotline_ingest', 'plotline_sweeper'];

describeWith(['postgres'], 'the catalog keeps tenants apart', () => {
  let database: TestDatabase;
  let admin: pg.Client;
  let tenantTables: string[];

  const rows = async (sql: string, values: unknown[] = []) => (await admin.query<Record<string, unknown>>(sql, values)).rows;

  beforeAll(async () => {
    database = await createTestDatabase();
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    const tables = await rows(
      `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
    );
    tenantTables = tables.map(({ name }) => String(name)).filter((name) => !globalTables.includes(name));
    expect(tenantTables.length).toBeGreaterThan(15);
  });
  afterAll(async () => {
    await admin?.end();
    await database?.drop();
  });

  it('has row-level security enabled, not forced, on every tenant table and partition', async () => {
    const wrong = await rows(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relname = any($1) and (not relrowsecurity or relforcerowsecurity)`,
      [tenantTables],
    );
    expect(wrong).toEqual([]);
  });

  it('has exactly one policy on each, the plain expression for reading and writing', async () => {
    const policies = await rows(
      `select tablename, permissive, roles::text, cmd, qual, with_check from pg_policies where schemaname = 'public' order by tablename`,
    );
    // On a cluster, policies replace the audit log's trigger (distribute.medium.spec.ts).
    const isOther = (table: unknown): boolean => isCluster() && table === 'audit_entry';
    expect(policies.filter(({ tablename }) => !isOther(tablename))).toEqual(
      tenantTables
        .filter((table) => !isOther(table))
        .sort()
        .map((tablename) => ({ tablename, permissive: 'PERMISSIVE', roles: '{public}', cmd: 'ALL', qual: policy, with_check: policy })),
    );
  });

  it('belongs to a role without a login', async () => {
    expect(await rows(`select distinct tableowner from pg_tables where schemaname = 'public'`)).toEqual([{ tableowner: 'plotline_owner' }]);
    expect(await rows(`select rolcanlogin, rolsuper, rolbypassrls from pg_roles where rolname = 'plotline_owner'`)).toEqual([
      // On a cluster, another test file may be distributing tables at the same time.
      { rolcanlogin: isCluster() ? expect.any(Boolean) : false, rolsuper: false, rolbypassrls: false },
    ]);
    const members = await rows(
      `select m.rolname as member from pg_auth_members a join pg_roles m on m.oid = a.member join pg_roles r on r.oid = a.roleid where r.rolname = 'plotline_owner' and m.rolcanlogin and not m.rolsuper`,
    );
    expect(members).toEqual([{ member: 'plotline_migrator' }]);
    for (const role of applicationRoles)
      expect(await rows(`select pg_has_role($1, 'plotline_owner', 'MEMBER') as member`, [role])).toEqual([{ member: false }]);
  });

  it('gives the application no way around it', async () => {
    const roles = await rows(
      `select rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication from pg_roles where rolname = any($1) order by 1`,
      [applicationRoles],
    );
    const plain = { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false };
    expect(roles).toEqual([
      { rolname: 'plotline_app', rolbypassrls: false, ...plain },
      { rolname: 'plotline_ingest', rolbypassrls: true, ...plain },
      { rolname: 'plotline_sweeper', rolbypassrls: true, ...plain },
    ]);
    const members = await rows(`select m.rolname from pg_auth_members a join pg_roles m on m.oid = a.member where m.rolname = any($1)`, [
      applicationRoles,
    ]);
    expect(members).toEqual([]);
  });

  it("has no views, rules or functions with their owner's rights, and no trigger except that of the audit log", async () => {
    const views = `select relname from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')`; // of an extension
    expect(await rows(views)).toEqual([]);
    const triggers = `select tgname, c.relname as table from pg_trigger join pg_class c on c.oid = tgrelid
      where not tgisinternal and c.relnamespace = 'public'::regnamespace`;
    expect(await rows(triggers)).toEqual(isCluster() ? [] : [{ tgname: 'audit_entry_append_only', table: 'audit_entry' }]);
    expect(await rows(`select rulename from pg_rules where schemaname = 'public'`)).toEqual([]);
    expect(await rows(`select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef`)).toEqual([]);
  });

  it('has the tenant first in every primary key, and in every unique and foreign key and unique index of tenant tables', async () => {
    const keys = await rows(
      `select t.relname as table, k.conname as key, k.contype as kind,
         (select attname from pg_attribute where attrelid = k.conrelid and attnum = k.conkey[1]) as first,
         f.relname as target, (select attname from pg_attribute where attrelid = k.confrelid and attnum = k.confkey[1]) as target_first
       from pg_constraint k join pg_class t on t.oid = k.conrelid left join pg_class f on f.oid = k.confrelid
       where t.relname = any($1) and k.contype in ('p', 'u', 'f')`,
      [tenantTables],
    );
    expect(new Set(keys.filter(({ kind }) => kind === 'p').map(({ table }) => table)).size).toBe(tenantTables.length);
    expect(
      await rows(
        `select relname from pg_class c where relname = any($1) and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'p')`,
        [globalTables],
      ),
    ).toEqual([]);
    const wrong = keys.filter(({ kind, first, target, target_first: targetFirst }) => {
      if (kind === 'f' && globalTables.includes(String(target))) return false; // people are global: a reference table
      return first !== 'tenant_id' || (kind === 'f' && targetFirst !== 'tenant_id');
    });
    expect(wrong).toEqual([]);
    const indexes = await rows(
      `select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
       where t.relname = any($1) and (select attname from pg_attribute where attrelid = i.indrelid and attnum = i.indkey[0]) is distinct from 'tenant_id'`,
      [tenantTables],
    );
    expect(indexes).toEqual([]);
  });

  it('has no foreign key from a global table to a tenant table, and no SET NULL', async () => {
    const wrong = await rows(
      `select k.conname from pg_constraint k join pg_class t on t.oid = k.conrelid join pg_class f on f.oid = k.confrelid
       where k.contype = 'f' and ((t.relname = any($1) and not f.relname = any($1)) or k.confdeltype = 'n')`,
      [globalTables],
    );
    expect(wrong).toEqual([]);
  });

  it('grants the worker and the sweeper only what they need', async () => {
    const grants = async (role: string) => {
      const list = await rows(
        `select table_name as table, array_agg(privilege_type::text order by privilege_type) as rights from information_schema.role_table_grants where grantee = $1 and table_schema = 'public' group by 1 order by 1`,
        [role],
      );
      return Object.fromEntries(list.map(({ table, rights }) => [String(table), rights]));
    };
    const sweeper = await grants('plotline_sweeper');
    // The queues: segments, runs, files to join, tails to cut, series to roll up, deletions,
    // originals with expired retention, unpublished progress, exports and citations.
    const waiting = [
      'citation',
      'deletion',
      'event_file',
      'export_job',
      'pending_segment',
      'progress_batch',
      'progress_view',
      'run_tail',
      'run_work',
      'series_to_roll_up',
      'workspace',
    ];
    expect(sweeper).toEqual(Object.fromEntries(waiting.map((table) => [table, ['SELECT']])));
    const ingest = await grants('plotline_ingest');
    for (const secret of [
      'access_token',
      'audit_entry',
      'invitation',
      'token_route',
      'report_link',
      'share_link',
      'share_link_route',
      'sign_in_link',
      'signing_key',
      'browser_session',
      'person',
      'workspace',
      'workspace_member',
      'idempotency_key',
    ])
      expect(ingest).not.toHaveProperty(secret);
    for (const [table, rights] of [...Object.entries(ingest), ...Object.entries(await grants('plotline_app'))]) {
      expect([table, (rights as string[]).filter((right) => ['TRUNCATE', 'TRIGGER', 'REFERENCES'].includes(right))]).toEqual([table, []]);
    }
  });

  it('shows and accepts rows of the current tenant only, none without a tenant, and does not fail', async () => {
    const [tenant, other] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000004'];
    for (const id of [tenant, other]) await admin.query(`insert into workspace (tenant_id, name) values ($1, 'one')`, [id]);
    const app = new pg.Client({ connectionString: database.appUrl });
    await app.connect();
    try {
      for (const setting of ['', 'select app_set_tenant(null)', "select set_config('app.tenant', '', false)"]) {
        if (setting !== '') await app.query(setting);
        for (const table of tenantTables) expect([table, (await app.query(`select from ${table}`)).rowCount]).toEqual([table, 0]);
        await expect(
          app.query(`insert into workspace (tenant_id, name) values ('00000000-0000-4000-8000-000000000002', 'two')`),
        ).rejects.toMatchObject({ code: '42501' });
        expect((await app.query(`update workspace set name = 'x'`)).rowCount).toBe(0);
        expect((await app.query('delete from workspace')).rowCount).toBe(0);
      }
      await app.query('begin');
      await app.query('select app_set_tenant($1)', [tenant]);
      expect((await app.query('select tenant_id from workspace')).rows).toEqual([{ tenant_id: tenant }]);
      await expect(app.query(`update workspace set tenant_id = '00000000-0000-4000-8000-000000000003'`)).rejects.toMatchObject({
        code: isCluster() ? '0A000' : '42501',
      });
      await app.query('rollback');
      expect((await app.query('select from workspace')).rowCount).toBe(0);
    } finally {
      await app.end();
    }
  });

  it('lets two tenants use the same names', async () => {
    const [person] = await rows(`insert into person (person_id, display_name) values (gen_random_uuid(), 'p') returning person_id`);
    for (const n of [11, 12]) {
      const tenant = `00000000-0000-4000-8000-0000000000${n}`;
      await admin.query(`insert into workspace (tenant_id, name) values ($1, 'same')`, [tenant]);
      await admin.query(`insert into experiment (tenant_id, experiment_id, name, description, owner_id) values ($1, 'same', '', '', $2)`, [
        tenant,
        person!.person_id,
      ]);
      await admin.query(`insert into run (tenant_id, experiment_id, name, name_hash) values ($1, 'same', 'r', '\\x00')`, [tenant]);
    }
    expect(await rows(`select count(*)::int as runs from run where experiment_id = 'same'`)).toEqual([{ runs: 2 }]);
  });
});
