-- returns body bytea
/* read-bodies-at */
select
  c.body
from
  rows
from
  (unnest($n::int8[]), unnest($n::int8[])) with ordinality k (file_id, first_ordinal, no)
  join scalar_chunk c on c.tenant_id = $n
  and c.series_id = $n
  and c.file_id = k.file_id
  and c.first_ordinal = k.first_ordinal
order by
  k.no;

-- returns file_id bigint
/* list-file-ranks */
select
  e.file_id
from
  event_file e
  left join file_progress p on p.tenant_id = $n
  and p.file_id = e.file_id
where
  e.tenant_id = $n
  and e.run_id = $n
order by
  coalesce(p.first_wall_time, '-infinity'),
  e.name collate "C",
  e.version;

-- returns rank bigint, file_id bigint, first_ordinal bigint, count integer, superseded boolean
/* list-chunk-places */
select
  f.rank,
  c.file_id,
  c.first_ordinal,
  c.count,
  c.superseded
from
  (
    select
      e.file_id,
      row_number() over (
        order by
          coalesce(p.first_wall_time, '-infinity'),
          e.name collate "C",
          e.version
      ) - 1 as rank
    from
      event_file e
      left join file_progress p on p.tenant_id = $n
      and p.file_id = e.file_id
    where
      e.tenant_id = $n
      and e.run_id = $n
  ) f
  join scalar_chunk c on c.tenant_id = $n
  and c.series_id = $n
  and c.file_id = f.file_id
where
  f.rank >= $n
order by
  f.rank,
  c.first_ordinal;
