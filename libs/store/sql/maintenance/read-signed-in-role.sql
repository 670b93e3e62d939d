-- returns name name, works_as name, superuser boolean, bypasses_rls boolean
/* read-signed-in-role */
select
  session_user as name,
  current_user as works_as,
  rolsuper as superuser,
  rolbypassrls as bypasses_rls
from
  pg_roles
where
  rolname = session_user;
