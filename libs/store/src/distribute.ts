import pg from 'pg';
import { globalTables } from './handles.ts';

/**
 * Postgres and Citus versions that we have tested together: `server_version_num / 10000` and the
 * extension version.
 */
export const triedVersions: readonly { readonly postgres: number; readonly citus: string }[] = [{ postgres: 18, citus: '14.0-1' }];

export interface DistributeOptions {
  /**
   * Number of shards for each tenant table: at least as many as there will ever be workers. Used
   * only the first time.
   */
  readonly shards: number;
  readonly log?: (line: string) => void;
}

/** The database cannot be distributed. Nothing was changed. */
export class NotDistributable extends Error {
  override readonly name = 'NotDistributable';
}

/**
 * This table's rows remain on the coordinator, because only `migrate` writes it, in transactions
 * that also change tables.
 */
const coordinatorTable = 'schema_migration';
/** All tenant tables are on the same shards as this table. */
const firstTable = 'workspace';

/**
 * Distributes the tables of a migrated database over the workers of a Citus cluster. Tenant tables
 * are distributed by `tenant_id`, with all rows of a tenant on one worker. Global tables are on
 * every node. Rows are moved. Tables that are already distributed do not change, so repeated calls
 * are safe; they are necessary after a migration that creates tables. Call it inside {@link
 * withOwnerLogin}. `adminUrl` is the address of a coordinator superuser, in the service's database.
 * Returns the tables that it distributed.
 */
export async function distribute(adminUrl: string, { shards, log = () => undefined }: DistributeOptions): Promise<readonly string[]> {
  return withClient(adminUrl, async (client) => {
    await assertTried(client);
    const { rows: workers } = await client.query<{ address: string }>(
      `select nodename || ':' || nodeport as address from pg_dist_node where noderole = 'primary' and isactive and groupid <> 0 order by 1`,
    );
    if (workers.length === 0)
      throw new NotDistributable('The cluster has no workers. Add them with "select citus_add_node(host, port)" in this database.');
    const left = await readUndistributed(client);
    if (left.size === 0) {
      log(`every table is distributed already, over ${workers.length} workers`);
      return [];
    }
    log(`distributing ${left.size} tables over ${workers.map(({ address }) => address).join(', ')}`);
    await client.query('set citus.enable_local_reference_table_foreign_keys = off');
    const done: string[] = [];
    const start = async (table: string) => {
      if (globalTables.includes(table)) await client.query('select create_reference_table($1)', [table]);
      else if (table === firstTable)
        await client.query(`select create_distributed_table($1, 'tenant_id', shard_count => $2)`, [table, shards]);
      else {
        if (table === 'audit_entry') await replaceTrigger(client);
        await client.query(`select create_distributed_table($1, 'tenant_id', colocate_with => '${firstTable}')`, [table]);
      }
      left.delete(table);
      done.push(table);
      log(`distributed ${table}`);
    };
    if (left.has(firstTable)) await start(firstTable);
    while (left.size > 0) {
      // Parent tables come first, and global tables come before tenant tables.
      const ready = [...left].filter(([, parents]) => parents.every((parent) => !left.has(parent))).map(([table]) => table);
      const next = ready.find((table) => globalTables.includes(table)) ?? ready[0];
      if (next === undefined) throw new Error(`Foreign keys form a cycle: ${[...left.keys()].join(', ')}.`);
      await start(next);
    }
    return done;
  });
}

/**
 * Runs `work`, which changes tables, on a database that may be a cluster. On a cluster, nodes
 * connect to each other as the table owner, so the owner may log in while `work` runs. Without
 * Citus, only runs `work`.
 */
export async function withOwnerLogin<T>(adminUrl: string, work: () => Promise<T>): Promise<T> {
  const change = (login: string) => withClient(adminUrl, (client) => client.query(`alter role plotline_owner ${login}`));
  const { rowCount } = await withClient(adminUrl, (client) => client.query(`select from pg_extension where extname = 'citus'`));
  if (rowCount === 0) return work();
  await change('login');
  try {
    return await work();
  } finally {
    await change('nologin');
  }
}

/** Whether any table is distributed. `url` can be the address of any role. */
export async function hasDistributedTables(url: string): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rowCount } = await client.query(`select from pg_extension where extname = 'citus'`);
    if (rowCount === 0) return false;
    return (await client.query('select from pg_dist_partition limit 1')).rowCount !== 0;
  });
}

async function assertTried(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ postgres: string; citus: string | null; is_superuser: boolean }>(
    `select current_setting('server_version_num')::int / 10000 as postgres, (select extversion from pg_extension where extname = 'citus') as citus,
       (select rolsuper from pg_roles where rolname = current_user) as is_superuser`,
  );
  const { postgres, citus, is_superuser: isSuperuser } = rows[0]!;
  const tried = triedVersions.map((pair) => `Postgres ${pair.postgres} with Citus ${pair.citus}`).join(', ');
  if (citus === null)
    throw new NotDistributable(`This database does not have the extension citus. Create it on each node first. Tested: ${tried}.`);
  if (!triedVersions.some((pair) => pair.postgres === Number(postgres) && pair.citus === citus))
    throw new NotDistributable(`Postgres ${postgres} with Citus ${citus} was not tested with this version of Plotline. Tested: ${tried}.`);
  if (!isSuperuser)
    throw new NotDistributable("Only a superuser can distribute tables: set PLOTLINE_DATABASE_URL to a superuser's address.");
}

/** Tables that are only on the coordinator, and the tables that their foreign keys refer to. */
async function readUndistributed(client: pg.Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ name: string; parents: string[] }>(
    `select c.relname as name, array(select distinct f.relname::text from pg_constraint k join pg_class f on f.oid = k.confrelid
       where k.conrelid = c.oid and k.contype = 'f' and f.oid <> c.oid) as parents
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> $1
       and not exists (select from pg_dist_partition d where d.logicalrelid = c.oid)
       and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
     order by 1`,
    [coordinatorTable],
  );
  return new Map(rows.map(({ name, parents }) => [name, parents]));
}

/**
 * Distributed tables cannot have triggers, so policies for each command replace the trigger that
 * protects the audit log. An address can only be cleared, and an entry cannot be removed within 30
 * days, the shortest retention. Only the statement that removes entries applies the workspace's
 * retention. Grants already limit changes to the address. All policies are permissive, because
 * Citus creates restrictive policies as permissive ones on the workers.
 */
async function replaceTrigger(client: pg.Client): Promise<void> {
  const mine = `tenant_id = nullif(current_setting('app.tenant', true), '')::uuid`;
  await client.query('drop trigger if exists audit_entry_append_only on audit_entry');
  await client.query('drop policy if exists audit_entry_tenant on audit_entry');
  const clauses = {
    select: `using (${mine})`,
    insert: `with check (${mine})`,
    update: `using (${mine}) with check (${mine} and address is null)`,
    delete: `using (${mine} and at < now() - interval '30 days')`,
  };
  for (const [command, clause] of Object.entries(clauses)) {
    await client.query(`drop policy if exists audit_entry_${command} on audit_entry`);
    await client.query(`create policy audit_entry_${command} on audit_entry for ${command} ${clause}`);
  }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'plotline-distribute' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
