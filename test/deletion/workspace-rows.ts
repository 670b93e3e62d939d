import pg from 'pg';

/**
 * Returns the number of a workspace's rows in each table with a `tenant_id` column; tables without
 * such rows are omitted. Counts rows without searching them, so compressed rows count too.
 * `adminUrl` is the address of a role that sees all rows.
 */
export async function workspaceRows(adminUrl: string, tenantId: string): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
    );
    const counts = tables.map(
      ({ name }) =>
        `select ${pg.escapeLiteral(name)} as name, count(*)::int as count from ${pg.escapeIdentifier(name)} where tenant_id = $1`,
    );
    // One statement and therefore one snapshot: the rows of a transaction are visible together or
    // not at all.
    const { rows } = await client.query<{ name: string; count: number }>(counts.join(' union all '), [tenantId]);
    return Object.fromEntries(rows.flatMap(({ name, count }) => (count > 0 ? [[name, count]] : [])));
  } finally {
    await client.end();
  }
}
