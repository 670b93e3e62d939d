-- returns ?column? integer
/* remove-series */
delete from series
where
  tenant_id = $n
  and series_id = any ($n::bigint[])
returning
  1;
