-- Roles of the whole cluster; run by an administrator before the numbered migrations, any number of times.
-- The form is the one that also works on Citus: tables belong to a NOLOGIN role, the application's roles are not members of it.
do $$
declare
  r text;
begin
  foreach r in array array['plotline_owner', 'plotline_app', 'plotline_ingest', 'plotline_sweeper', 'plotline_migrator'] loop
    begin
      execute format('create role %I nologin', r);
    exception
      when duplicate_object or unique_violation then null; -- made before, or by somebody at the same moment
    end;
  end loop;
end $$;

alter role plotline_owner nologin nobypassrls nosuperuser;
-- Serves requests; row level security applies to it.
alter role plotline_app login nobypassrls nosuperuser;
-- Writes what a worker parsed; COPY cannot run under row level security, so it bypasses it and stamps the tenant from the ledger row.
alter role plotline_ingest login bypassrls nosuperuser;
-- Looks over all tenants for pending work; may only read the ledger.
alter role plotline_sweeper login bypassrls nosuperuser;
alter role plotline_migrator login nobypassrls nosuperuser;

-- A placeholder on plain Postgres; on Citus it carries SET LOCAL app.tenant to the workers.
alter role plotline_app set citus.propagate_set_commands = 'local';

grant plotline_owner to plotline_migrator;
grant create, usage on schema public to plotline_owner;
grant usage on schema public to plotline_app, plotline_ingest, plotline_sweeper;
