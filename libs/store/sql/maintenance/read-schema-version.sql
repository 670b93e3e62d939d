select coalesce(has_table_privilege(to_regclass('public.schema_migration'), 'select'), false) as readable;

select coalesce(max(number), 0)::int as number
from public.schema_migration;
