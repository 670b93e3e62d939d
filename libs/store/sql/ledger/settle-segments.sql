-- returns epoch bigint, segments bigint
/* settle-segments */
with
  settled as (
    delete from pending_segment p using unnest($n::bigint[], $n::bigint[]) as k (file_id, "offset")
    where
      p.tenant_id = $n
      and p.experiment_id = $n
      and p.run_id = $n
      and p.file_id = any ($n::bigint[])
      and p."offset" between $n and $n
      and p.file_id = k.file_id
      and p."offset" = k."offset"
    returning
      p.epoch
  )
select
  epoch,
  count(*) as segments
from
  settled
group by
  epoch;
