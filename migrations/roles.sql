-- Roles of the whole cluster; run by an administrator before the numbered migrations, any number of times.
-- The administrator needs CREATEROLE, not superuser. The form also works on Citus: tables belong to a NOLOGIN role, and the
-- application's roles are not members of it.
do $$
declare
  r text;
begin
  foreach r in array array['plotline_owner', 'plotline_app', 'plotline_ingest', 'plotline_sweeper', 'plotline_migrator'] loop
    begin
      execute format('create role %I nologin', r);
    exception
      when duplicate_object or unique_violation then null; -- it exists, or another process created it at the same moment
    end;
  end loop;
end $$;

-- Only what differs: an administrator who is not a superuser may not name SUPERUSER or BYPASSRLS, even to take them away.
--   plotline_app     serves requests under row level security
--   plotline_ingest  writes what a worker parsed, with the tenant of the ledger row
--   plotline_sweeper reads the ledger of all tenants to find pending work
-- Ingest and sweeper bypass row level security. Where that cannot be granted (managed Postgres), `migrate` gives them policies.
do $$
declare
  r record;
begin
  for r in
    select w.name, w.login, w.bypass, a.rolcanlogin, a.rolsuper, a.rolbypassrls
    from (values ('plotline_owner', false, false), ('plotline_app', true, false), ('plotline_ingest', true, true),
      ('plotline_sweeper', true, true), ('plotline_migrator', true, false)) as w (name, login, bypass)
    join pg_roles a on a.rolname = w.name
  loop
    if r.rolcanlogin <> r.login then execute format('alter role %I %s', r.name, case when r.login then 'login' else 'nologin' end); end if;
    if r.rolsuper then execute format('alter role %I nosuperuser', r.name); end if;
    if r.rolbypassrls and not r.bypass then execute format('alter role %I nobypassrls', r.name); end if;
    if r.bypass and not r.rolbypassrls then
      begin
        execute format('alter role %I bypassrls', r.name);
      exception
        when insufficient_privilege then null;
      end;
    end if;
  end loop;
end $$;

-- On Citus it carries SET LOCAL app.tenant to the workers. Elsewhere it is a placeholder, which only a superuser may set.
do $$
begin
  alter role plotline_app set citus.propagate_set_commands = 'local';
exception
  when insufficient_privilege then null;
end $$;

grant plotline_owner to plotline_migrator;
grant create, usage on schema public to plotline_owner;
grant usage on schema public to plotline_app, plotline_ingest, plotline_sweeper;
