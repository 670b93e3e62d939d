-- returns series_id bigint, run_id bigint, name text, tag text, writer smallint
/* list-value-series */
select
  s.series_id,
  s.run_id,
  r.name,
  s.tag,
  s.writer
from
  series s
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
where
  s.tenant_id = $n
  and s.experiment_id = $n
  and r.deleted_at is null
  and s.data_class = $n
  and (
    $n::text[] is null
    or r.name = any ($n)
  )
  and (
    $n::bytea[] is null
    or s.tag_hash = any ($n)
  )
  and (
    $n::text is null
    or s.plugin = $n
  )
  and (
    s.listed
    or $n::boolean
  )
order by
  r.name collate "C",
  s.tag collate "C",
  s.twin,
  s.writer,
  s.series_id;
