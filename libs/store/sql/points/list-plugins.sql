-- returns plugin text
/* list-plugins */
select distinct
  s.plugin collate "C" as plugin
from
  series s
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
where
  s.tenant_id = $n
  and s.experiment_id = $n
  and s.listed
  and s.plugin <> ''
  and r.deleted_at is null
  and (
    $n
    or r.name_hash = any ($n::bytea[])
  )
  and (
    $n
    or s.tag_hash = any ($n::bytea[])
  )
order by
  1;
