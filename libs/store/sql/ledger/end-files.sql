-- returns file_id bigint
/* end-files-file-progress */
update file_progress p
set
  ended = true,
  rejected_bytes = p.rejected_bytes + greatest(
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
          and s.run_id = $n
          and s.file_id = p.file_id
      ),
      f.durable_offset
    ) - p.parsed_offset
  )
from
  event_file f
where
  p.tenant_id = $n
  and p.file_id = $n
  and not p.ended
  and p.parsed_offset = $n
  and f.tenant_id = $n
  and f.file_id = p.file_id
returning
  p.file_id;

insert into
  "file_problem" (
    "tenant_id",
    "file_id",
    "offset",
    "problem_no",
    "run_id",
    "experiment_id",
    "reason",
    "detail",
    "bytes",
    "ends_file"
  )
values
  ($n, …) /* end-files-file-problem */;
