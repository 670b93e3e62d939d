import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';

/** Read-mostly tables without a tenant, named in architecture and ADR 7; a new one needs a reason there. */
const globalTables = ['browser_session', 'experiment_route', 'person', 'sign_in_link', 'token_route'];

describeWith(['postgres'], 'the schema, so that it is safe and can be distributed by tenant', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const names = async (sql: string): Promise<string[]> => (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name);
  const ours = `c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'schema_migration'`;
  const ofTenants = `${ours} and c.relname <> all (array['${globalTables.join(`','`)}'])`;

  it('has the tenant first in every primary, unique and foreign key, and in every unique index', async () => {
    const keys = await names(`
      select c.relname || '.' || k.conname as name from pg_constraint k join pg_class c on c.oid = k.conrelid
       where ${ofTenants} and k.contype in ('p', 'u', 'f')
         and not (k.contype = 'f' and (select relname from pg_class where oid = k.confrelid) = any (array['${globalTables.join(`','`)}']))
         and (select attname from pg_attribute where attrelid = c.oid and attnum = k.conkey[1]) <> 'tenant_id'`);
    expect(keys).toEqual([]);
    const unkeyed = await names(`
      select c.relname as name from pg_class c where ${ours} and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'p')`);
    expect(unkeyed).toEqual([]);
    const uniqueIndexes = await names(`
      select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid
       where ${ofTenants} and i.indisunique and (select attname from pg_attribute where attrelid = c.oid and attnum = i.indkey[0]) is distinct from 'tenant_id'`);
    expect(uniqueIndexes).toEqual([]);
  });

  it('has row level security on each table of tenant data, by a plain expression that also checks what is written', async () => {
    expect(
      await names(`select c.relname as name from pg_class c where ${ofTenants} and not (c.relrowsecurity and not c.relforcerowsecurity)`),
    ).toEqual([]);
    const { rows } = await client.query<{ table: string; using: string; check: string }>(`
      select c.relname as table, pg_get_expr(p.polqual, p.polrelid) as using, pg_get_expr(p.polwithcheck, p.polrelid) as check
        from pg_class c left join pg_policy p on p.polrelid = c.oid where ${ofTenants}`);
    for (const { table, using, check } of rows) {
      expect(using, table).toBe(`(tenant_id = (NULLIF(current_setting('app.tenant'::text, true), ''::text))::uuid)`);
      expect(check, table).toBe(using);
    }
  });

  it('belongs to a role that nobody logs in as and no application role is a member of', async () => {
    expect(await names(`select c.relname as name from pg_class c where ${ours} and c.relowner::regrole::text <> 'plotline_owner'`)).toEqual(
      [],
    );
    expect(await names(`select rolname as name from pg_roles where rolname = 'plotline_owner' and not rolcanlogin`)).toEqual([
      'plotline_owner',
    ]);
    expect(
      await names(
        `select member::regrole::text as name from pg_auth_members where roleid = 'plotline_owner'::regrole and member::regrole::text like 'plotline%'`,
      ),
    ).toEqual(['plotline_migrator']);
    expect(await names(`select rolname as name from pg_roles where rolname like 'plotline%' and rolbypassrls order by 1`)).toEqual([
      'plotline_ingest',
      'plotline_sweeper',
    ]);
  });

  it('lets the sweeper only read, and neither it nor the ingest role see tokens', async () => {
    const granted = (role: string, privileges: string) => `
      select distinct table_name || ' ' || lower(privilege_type) as name from information_schema.role_table_grants
       where grantee = '${role}' and privilege_type in (${privileges}) order by 1`;
    expect(await names(granted('plotline_sweeper', `'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE'`))).toEqual([]);
    expect(await names(granted('plotline_app', `'TRUNCATE', 'TRIGGER', 'REFERENCES'`))).toEqual([]);
    const secrets = `select table_name as name from information_schema.role_table_grants
       where grantee in ('plotline_ingest', 'plotline_sweeper') and table_name in ('token_route', 'access_token', 'sign_in_link', 'browser_session', 'idempotency_key')`;
    expect(await names(secrets)).toEqual([]);
  });

  it('has no triggers and no rules', async () => {
    expect(
      await names(`select t.tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid where ${ours} and not t.tgisinternal`),
    ).toEqual([]);
    expect(await names(`select r.rulename as name from pg_rewrite r join pg_class c on c.oid = r.ev_class where ${ours}`)).toEqual([]);
  });

  it('shows one tenant nothing of another, and nothing at all before a tenant is named', async () => {
    const [mine, theirs] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
    for (const tenant of [mine, theirs]) await client.query(`insert into workspace (tenant_id, name) values ($1, 'w')`, [tenant]);
    const app = new pg.Client({ connectionString: database.appUrl });
    await app.connect();
    try {
      const visible = async () =>
        (await app.query<{ tenant_id: string }>('select tenant_id from workspace')).rows.map(({ tenant_id }) => tenant_id);
      expect(await visible()).toEqual([]);
      await app.query('begin');
      await app.query('select app_set_tenant($1)', [mine]);
      expect(await visible()).toEqual([mine]);
      await expect(
        app.query(`insert into workspace_member (tenant_id, person_id, role) values ($1, $1, 'owner')`, [theirs]),
      ).rejects.toMatchObject({ code: '42501' });
      await app.query('rollback');
      expect(await visible()).toEqual([]); // the tenant ended with its transaction
    } finally {
      await app.end();
    }
  });
});
