-- returns number integer, contract integer
/* read-schema-version-public */
select
  coalesce(max(number), 0)::int as number,
  coalesce(
    max(number) filter (
      where
        (to_jsonb(m) ->> 'contract')::boolean
    ),
    0
  )::int as contract
from
  public.schema_migration m;

-- returns readable boolean
/* read-schema-version */
select
  coalesce(has_table_privilege(to_regclass('public.schema_migration'), 'select'), false) as readable;
