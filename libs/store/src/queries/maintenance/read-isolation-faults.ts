import { type QueryExecutorProvider, sql } from 'kysely';
import { globalTables } from '../../handles.ts';
import { serviceRoles } from '../../service-roles.ts';

/** True for an ingest or sweeper policy on a Postgres without BYPASSRLS (`service-policies.ts`). */
const isServicePolicy = sql`(permissive = 'PERMISSIVE' and qual = 'true' and (
  (policyname = tablename || '_ingest' and roles = '{plotline_ingest}' and cmd = 'ALL' and with_check = 'true')
  or (policyname = tablename || '_sweeper' and roles = '{plotline_sweeper}' and cmd = 'SELECT' and with_check is null)))`;

const tenantPolicy = `(tenant_id = (NULLIF(current_setting('app.tenant'::text, true), ''::text))::uuid)`;

/**
 * True for one of the audit log's four policies on a cluster (`distribute.ts`), each of which is
 * narrower than the usual policy.
 */
const isAuditPolicy = sql`(tablename = 'audit_entry' and permissive = 'PERMISSIVE' and roles = '{public}' and (
  (cmd = 'SELECT' and qual = ${tenantPolicy} and with_check is null)
  or (cmd = 'INSERT' and qual is null and with_check = ${tenantPolicy})
  or (cmd = 'UPDATE' and qual = ${tenantPolicy} and with_check = ${`(${tenantPolicy} AND (address IS NULL))`})
  or (cmd = 'DELETE' and qual = ${`(${tenantPolicy} AND (at < (now() - '30 days'::interval)))`} and with_check is null)))`;

/**
 * Describes the gaps in a database's tenant isolation. Empty if there are none. Row level security
 * is the safety net for the tenant conditions in queries. A table without it, a missing or wider
 * policy, or a role that may act as the owner is a gap that no response would reveal. Ignores
 * objects that belong to Postgres extensions. Takes a few milliseconds.
 */
export async function readIsolationFaults(db: QueryExecutorProvider): Promise<string[]> {
  const { rows } = await sql<{ fault: string }>`
    /* read-isolation-faults */
    with own as (
      select c.oid, c.relname as name, c.relkind, c.relrowsecurity, c.relforcerowsecurity, c.reloptions, pg_get_userbyid(c.relowner) as owner,
        c.relname = any(${globalTables}::text[]) or coalesce(obj_description(c.oid, 'pg_class') like 'Global:%', false) as global, c.relispartition as partition
      from pg_class c where c.relnamespace = 'public'::regnamespace and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    )
    select 'table ' || name || ' has no row level security' as fault from own where relkind in ('r', 'p') and not global and not relrowsecurity
    union all
    select 'table ' || name || ' forces row level security, which the owner of migrations cannot work under'
      from own where relkind in ('r', 'p') and relforcerowsecurity
    union all
    select 'table ' || o.name || ' has ' || count(p.policyname) || ' policies and not one'
      from own o left join pg_policies p on p.schemaname = 'public' and p.tablename = o.name and not ${isServicePolicy}
      where o.relkind in ('r', 'p') and not o.global group by o.name having count(p.policyname) <> case when bool_or(${isAuditPolicy}) then 4 else 1 end
    union all
    select 'policy ' || policyname || ' of table ' || tablename || ' is not the plain one for all that is read and written'
      from pg_policies where schemaname = 'public' and not ${isServicePolicy} and not ${isAuditPolicy} and not (permissive = 'PERMISSIVE' and roles = '{public}' and cmd = 'ALL'
        and qual is not distinct from ${tenantPolicy} and with_check is not distinct from ${tenantPolicy})
    union all
    select 'table ' || o.name || ' has no policy for ' || r.rolname || ', which has no BYPASSRLS ("npm run migrate" creates it)'
      from own o join pg_roles r on r.rolname in ('plotline_ingest', 'plotline_sweeper') and not r.rolbypassrls
      where o.relkind in ('r', 'p') and o.relrowsecurity and not exists (
        select from pg_policies where schemaname = 'public' and tablename = o.name and roles = array[r.rolname] and ${isServicePolicy})
    union all
    select 'table ' || name || ' belongs to ' || owner from own where relkind in ('r', 'p') and owner <> 'plotline_owner'
    union all
    select 'view ' || name || ' reads with the rights of its owner' from own
      where relkind in ('v', 'm') and not coalesce(reloptions @> array['security_invoker=true'], false)
    union all
    select 'function ' || proname || ' runs with the rights of its owner' from pg_proc p
      where pronamespace = 'public'::regnamespace and prosecdef and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union all
    select 'the partition ' || o.name || ' is granted to ' || g.grantee from own o
      join information_schema.role_table_grants g on g.table_schema = 'public' and g.table_name = o.name
      where o.partition and g.grantee = any(${serviceRoles}::text[])
    union all
    select 'role ' || rolname || ' can log in, or is more than an owner' from pg_roles
      where rolname = 'plotline_owner' and (rolsuper or rolbypassrls
        or (rolcanlogin and not exists (select from pg_extension where extname = 'citus')))
    union all
    select 'role ' || rolname || ' may be plotline_owner' from pg_roles
      where rolname = any(${serviceRoles}::text[]) and pg_has_role(oid, 'plotline_owner', 'MEMBER')
    union all
    select 'role ' || rolname || ' may be ' || b.roleid::regrole from pg_roles r join pg_auth_members b on b.member = r.oid
      where rolname = any(${serviceRoles}::text[]) and b.roleid::regrole::text <> 'plotline_owner'
    union all
    select 'role ' || rolname || ' has rights of the whole cluster' from pg_roles
      where rolname = any(${serviceRoles}::text[]) and (rolsuper or rolcreaterole or rolcreatedb or rolreplication)
    union all
    select 'role plotline_app goes past row level security' from pg_roles where rolname = 'plotline_app' and rolbypassrls
    order by 1`.execute(db);
  return rows.map(({ fault }) => fault);
}
