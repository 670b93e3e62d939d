-- returns body bytea
select
  /* prepared: read-tail-blocks */
  "body"
from
  "run_tail"
where
  "tenant_id" = $n
  and "run_id" = $n
  and "tail_no" >= $n
order by
  "tail_no",
  "part";

-- returns series_id bigint, last_step bigint
/* prepared: read-last-chunk-steps */
select
  series_id,
  last_step
from
  series_stats
where
  tenant_id = $n
  and series_id = any ($n::bigint[])
  and last_step is not null;

-- returns tail_no bigint, level smallint, points bigint, age_ms float8
select
  /* prepared: read-tail-heads */
  "tail_no",
  "level",
  sum(points) as "points",
  (
    extract(
      epoch
      from
        now() - min(created_at)
    ) * 1000
  )::float8 as "age_ms"
from
  "run_tail"
where
  "tenant_id" = $n
  and "run_id" = $n
group by
  "tail_no",
  "level"
order by
  "tail_no";
