-- returns experiment_id text, state text
/* read-watched-states */
select
  a.experiment_id,
  concat_ws(' ', a.xmin, e.xmin, v.xmin, p.epoch, p.bytes, d.asked, d.finished, d.points) as state
from
  experiment_epoch a
  join experiment e on e.tenant_id = $n
  and e.experiment_id = a.experiment_id
  and e.deleted_at is null
  left join progress_view v on v.tenant_id = $n
  and v.experiment_id = a.experiment_id,
  lateral (
    select
      coalesce(min(s.epoch), 0) as epoch,
      coalesce(sum(s.length), 0) as bytes
    from
      pending_segment s
    where
      s.tenant_id = $n
      and s.experiment_id = a.experiment_id
  ) p,
  lateral (
    select
      count(*) as asked,
      count(x.finished_at) as finished,
      coalesce(sum(x.points), 0) as points
    from
      deletion x
    where
      x.tenant_id = $n
      and x.experiment_id = a.experiment_id
  ) d
where
  a.tenant_id = $n
  and a.experiment_id = any ($n::text[]);
