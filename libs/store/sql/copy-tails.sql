-- returns source bigint, copy bigint
/* map-ids-event-file */
select
  o.file_id as source,
  n.file_id as
copy
from
  event_file o
  join event_file n on n.tenant_id = $n
  and n.run_id = $n
  and n.name_hash = o.name_hash
  and n.version = o.version
where
  o.tenant_id = $n
  and o.run_id = $n;

-- returns source bigint, copy bigint
/* map-ids-series */
select
  o.series_id as source,
  n.series_id as
copy
from
  series o
  join series n on n.tenant_id = $n
  and n.run_id = $n
  and n.tag_hash = o.tag_hash
  and n.twin = o.twin
where
  o.tenant_id = $n
  and o.run_id = $n;

insert into
  "run_tail" (
    "tenant_id",
    "run_id",
    "tail_no",
    "part",
    "level",
    "points",
    "created_at",
    "first_series",
    "last_series",
    "body"
  )
values
  ($n, …) /* copy-tails */;
