-- A process looks at its start whether the database was brought up to its code.
grant select on schema_migration to plotline_app;
