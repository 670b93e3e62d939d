select
  session_user as name,
  current_user as works_as,
  rolsuper as superuser,
  rolbypassrls as bypasses_rls
from
  pg_roles
where
  rolname = session_user;
