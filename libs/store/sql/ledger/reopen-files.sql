-- returns file_id bigint, kept boolean
/* reopen-files-event-file */
select
  f.file_id,
  f.dropped_bytes <= p.parsed_offset as kept
from
  event_file f
  join file_progress p on p.tenant_id = $n
  and p.file_id = f.file_id
  and p.ended
  join run r on r.tenant_id = $n
  and r.run_id = f.run_id
  and r.deleted_at is null
where
  f.tenant_id = $n
  and f.experiment_id = $n
  and f.run_id = any ($n::bigint[])
  and exists (
    select
    from
      file_problem b
    where
      b.tenant_id = $n
      and b.file_id = f.file_id
      and b.ends_file
      and b.reason = any ($n)
  )
order by
  f.file_id
for no key update of
  f;

-- returns run_id bigint, held boolean
/* reopen-files-run-work */
select
  w.run_id,
  w.held_by is not null as held
from
  run_work w
  join run r on r.tenant_id = $n
  and r.run_id = w.run_id
  and r.deleted_at is null
where
  w.tenant_id = $n
  and w.experiment_id = $n
  and exists (
    select
    from
      file_problem b
    where
      b.tenant_id = $n
      and b.experiment_id = $n
      and b.run_id = w.run_id
      and b.ends_file
      and b.reason = any ($n)
  )
order by
  w.run_id
for update of
  w;

-- returns segments bigint, bytes bigint
/* pend-again-pending-segment */
with
  again as (
    insert into
      pending_segment (tenant_id, experiment_id, run_id, file_id, "offset", length, epoch)
    select
      $n::uuid,
      $n::text,
      p.run_id,
      s.file_id,
      s."offset",
      s.length,
      $n::bigint
    from
      segment s
      join file_progress p on p.tenant_id = $n
      and p.file_id = s.file_id
    where
      s.tenant_id = $n
      and s.file_id = any ($n::bigint[])
      and s.epoch is not null
      and s."offset" + s.length > p.parsed_offset
    on conflict do nothing
    returning
      length
  )
select
  count(*) as segments,
  coalesce(sum(length), 0) as bytes
from
  again;

/* pend-again-progress-batch */
insert into
  progress_batch (tenant_id, experiment_id, worker, number, changes)
values
  ($n, …::json);

/* reopen-files-delete-file-problem */
delete from file_problem
where
  tenant_id = $n
  and file_id = any ($n::bigint[])
  and ends_file
  and reason = any ($n);

/* reopen-files-experiment */
select
from
  experiment
where
  tenant_id = $n
  and experiment_id = $n
  and deleted_at is null;

/* reopen-files-file-problem */
delete from file_problem q using file_problem b
where
  q.tenant_id = $n
  and q.file_id = any ($n::bigint[])
  and q.reason = $n
  and b.tenant_id = $n
  and b.file_id = q.file_id
  and b."offset" = q."offset"
  and b.reason = $n;

/* reopen-files-file-progress */
update file_progress p
set
  ended = false,
  rejected_bytes = greatest(
    0,
    p.rejected_bytes - greatest(
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
            and s.run_id = p.run_id
            and s.file_id = p.file_id
        ),
        f.durable_offset
      ) - p.parsed_offset
    )
  )
from
  event_file f
where
  p.tenant_id = $n
  and p.file_id = any ($n::bigint[])
  and f.tenant_id = $n
  and f.file_id = p.file_id;

/* reopen-files-update-run-work */
update run_work w
set
  failures = 0,
  batch_bytes = null,
  last_error = null,
  retry_at = now()
where
  w.tenant_id = $n
  and w.run_id in (
    select
      f.run_id
    from
      event_file f
    where
      f.tenant_id = $n
      and f.file_id = any ($n::bigint[])
  );
