import pg from 'pg';

/**
 * Every row of every table in a database, as Postgres text, with bytes in hexadecimal. A
 * partition's row appears under both table names. `adminUrl` is the address of a role that sees all
 * rows.
 */
export async function* tableRows(adminUrl: string): AsyncGenerator<{ readonly table: string; readonly text: string }> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ table: string }>(
      `select quote_ident(relname) as table from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
    );
    for (const { table } of tables) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from ${table} t`);
      for (const { text } of rows) yield { table, text };
    }
  } finally {
    await client.end();
  }
}
