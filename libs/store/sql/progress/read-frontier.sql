-- returns acknowledged_epoch bigint, acknowledged_bytes bigint, pending_bytes bigint, published_epoch bigint, incomplete_bytes numeric, rejected_bytes numeric
/* prepared: read-frontier */
select
  a.acknowledged_epoch,
  a.acknowledged_bytes,
  p.pending_bytes,
  coalesce(v.published_epoch, p.pending_epoch - 1, a.acknowledged_epoch) as published_epoch,
  f.incomplete_bytes,
  f.rejected_bytes
from
  experiment_epoch a
  join experiment e on e.tenant_id = $n
  and e.experiment_id = a.experiment_id
  and e.deleted_at is null
  left join progress_view v on v.tenant_id = $n
  and v.experiment_id = a.experiment_id,
  lateral (
    select
      min(s.epoch) as pending_epoch,
      coalesce(sum(s.length), 0) as pending_bytes
    from
      pending_segment s
    where
      s.tenant_id = $n
      and s.experiment_id = a.experiment_id
  ) p,
  lateral (
    select
      coalesce(sum(g.rejected_bytes), 0) as rejected_bytes,
      coalesce(
        sum(
          case
            when g.ended
            or g.parsed_offset >= d.durable_offset then 0
            else greatest(
              0,
              coalesce(
                (
                  select
                    min(s."offset")
                  from
                    pending_segment s
                  where
                    s.tenant_id = $n
                    and s.experiment_id = $n
                    and s.run_id = d.run_id
                    and s.file_id = d.file_id
                ),
                d.durable_offset
              ) - g.parsed_offset
            )
          end
        ),
        0
      ) as incomplete_bytes
    from
      event_file d
      join file_progress g on g.tenant_id = $n
      and g.file_id = d.file_id
    where
      d.tenant_id = $n
      and d.experiment_id = a.experiment_id
  ) f
where
  a.tenant_id = $n
  and a.experiment_id = $n;
