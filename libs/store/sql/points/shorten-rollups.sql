/* prepared: shorten-rollups */
delete from scalar_rollup r using unnest($n::bigint[], $n::bigint[]) as k (series_id, from_step)
where
  r.tenant_id = $n
  and r.series_id = k.series_id
  and r.last_step >= k.from_step;

/* remove-rollups */
delete from scalar_rollup
where
  tenant_id = $n
  and series_id = any ($n::bigint[]);
