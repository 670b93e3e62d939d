import pg from 'pg';

/**
 * The policies for the two roles that work across all tenants, on a Postgres that does not grant
 * them BYPASSRLS (managed services reserve that attribute). Ingest reads and writes, and the
 * sweeper only reads. Grants still limit both.
 */
export const servicePolicies = {
  plotline_ingest: { suffix: 'ingest', command: 'ALL', clause: 'for all to plotline_ingest using (true) with check (true)' },
  plotline_sweeper: { suffix: 'sweeper', command: 'SELECT', clause: 'for select to plotline_sweeper using (true)' },
} as const;

type PolicyRole = keyof typeof servicePolicies;

interface Difference {
  readonly table: string;
  readonly role: PolicyRole;
  readonly wanted: boolean;
}

/**
 * Creates the {@link servicePolicies} on every table under row level security if their roles lack
 * BYPASSRLS, and drops them if they have it. `client` acts as the table owner. Returns how many
 * policies it changed.
 */
export async function matchServicePolicies(client: pg.ClientBase): Promise<number> {
  const roles = Object.keys(servicePolicies);
  const suffixes = Object.values(servicePolicies).map(({ suffix }) => suffix);
  const { rows } = await client.query<Difference>(
    `select c.relname as table, r.rolname as role, not r.rolbypassrls as wanted
     from pg_class c
     cross join unnest($1::text[], $2::text[]) as s (role, suffix)
     join pg_roles r on r.rolname = s.role
     left join pg_policy p on p.polrelid = c.oid and p.polname = c.relname || '_' || s.suffix
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relrowsecurity
       and (p.oid is null) = not r.rolbypassrls
     order by 1, 2`,
    [roles, suffixes],
  );
  for (const { table, role, wanted } of rows) {
    const { suffix, clause } = servicePolicies[role];
    const policy = `policy ${pg.escapeIdentifier(`${table}_${suffix}`)} on ${pg.escapeIdentifier(table)}`;
    await client.query(wanted ? `create ${policy} ${clause}` : `drop ${policy}`);
  }
  return rows.length;
}
