-- returns run_id bigint, tail_no bigint, part smallint, body bytea
/* read-copied-tails */
select
  t.run_id,
  t.tail_no,
  t.part,
  t.body
from
  unnest($n::bigint[], $n::bigint[], $n::smallint[]) as k (run_id, tail_no, part)
  join run_tail t on t.tenant_id = $n
  and t.run_id = k.run_id
  and t.tail_no = k.tail_no
  and t.part = k.part;

-- returns run_id bigint, tail_no bigint, part smallint, bytes integer
/* list-copied-tails */
select
  run_id,
  tail_no,
  part,
  length(body) as bytes
from
  run_tail
where
  tenant_id = $n
  and run_id = any ($n::bigint[])
order by
  run_id,
  tail_no,
  part;

-- returns source bigint, copy bigint
/* map-ids-event-file */
select
  o.file_id as source,
  n.file_id as
copy
from
  unnest($n::bigint[], $n::bigint[]) as k (
    source,
    copy
  )
  join event_file o on o.tenant_id = $n
  and o.run_id = k.source
  join event_file n on n.tenant_id = $n
  and n.run_id = k.copy
  and n.name_hash = o.name_hash
  and n.version = o.version;

-- returns source bigint, copy bigint
/* map-ids-series */
select
  o.series_id as source,
  n.series_id as
copy
from
  unnest($n::bigint[], $n::bigint[]) as k (
    source,
    copy
  )
  join series o on o.tenant_id = $n
  and o.run_id = k.source
  join series n on n.tenant_id = $n
  and n.run_id = k.copy
  and n.tag_hash = o.tag_hash
  and n.twin = o.twin
  and n.writer = o.writer;

/* remove-copied-tails */
delete from run_tail t using unnest($n::bigint[], $n::bigint[], $n::smallint[]) as k (run_id, tail_no, part)
where
  t.tenant_id = $n
  and t.run_id = k.run_id
  and t.tail_no = k.tail_no
  and t.part = k.part;

/* rename-tails */
update run_tail t
set
  points = k.points,
  first_series = k.first_series,
  last_series = k.last_series,
  body = k.body
from
  unnest($n::bigint[], $n::bigint[], $n::smallint[], $n::integer[], $n::bigint[], $n::bigint[], $n::bytea[]) as k (run_id, tail_no, part, points, first_series, last_series, body)
where
  t.tenant_id = $n
  and t.run_id = k.run_id
  and t.tail_no = k.tail_no
  and t.part = k.part;
