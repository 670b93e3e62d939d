-- Before a table is analyzed the planner assumes that each workspace has one row in 200, so that by any index a scan of all rows of the workspace looks as cheap as an
-- exact key. Connections keep such plans for the checks of foreign keys, while the table grows to thousands of rows. One workspace that owns all rows is the safe
-- assumption for the tables that others refer to: then only the exact key is cheap. The first analysis replaces it.
do $$
declare
  t text;
begin
  foreach t in array array['run', 'series']
  loop
    continue when exists (select from pg_stats where schemaname = 'public' and tablename = t and attname = 'tenant_id');
    perform pg_restore_attribute_stats(
      'schemaname', 'public', 'relname', t, 'attname', 'tenant_id', 'inherited', false,
      'null_frac', 0::real, 'avg_width', 16, 'n_distinct', 1::real);
  end loop;
end
$$;
