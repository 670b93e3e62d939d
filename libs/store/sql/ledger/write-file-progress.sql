/* prepared: write-file-progress */
update file_progress p
set
  parsed_offset = u.parsed_offset,
  needs_offset = u.needs_offset,
  ended = u.ended,
  first_wall_time = u.first_wall_time,
  last_wall_time = u.last_wall_time,
  head_crc32c = u.head_crc32c,
  copy_of = u.copy_of,
  replaced = u.replaced,
  records = p.records + u.records,
  rejected_bytes = p.rejected_bytes + u.rejected_bytes,
  unverified_records = p.unverified_records + u.unverified
from
  unnest(
    $n::bigint[],
    $n::bigint[],
    $n::bigint[],
    $n::boolean[],
    $n::bigint[],
    $n::bigint[],
    $n::bigint[],
    $n::float8[],
    $n::float8[],
    $n::bigint[],
    $n::bigint[],
    $n::boolean[]
  ) as u (
    file_id,
    parsed_offset,
    needs_offset,
    ended,
    records,
    rejected_bytes,
    unverified,
    first_wall_time,
    last_wall_time,
    head_crc32c,
    copy_of,
    replaced
  )
where
  p.tenant_id = $n
  and p.file_id = u.file_id;

/* prepared: write-files-as-writers */
update file_progress p
set
  first_wall_time = u.first_wall_time,
  last_wall_time = u.last_wall_time,
  head_crc32c = u.head_crc32c,
  copy_of = u.copy_of,
  replaced = u.replaced
from
  unnest($n::bigint[], $n::float8[], $n::float8[], $n::bigint[], $n::bigint[], $n::boolean[]) as u (file_id, first_wall_time, last_wall_time, head_crc32c, copy_of, replaced)
where
  p.tenant_id = $n
  and p.file_id = u.file_id;

/* write-counts-from */
update file_progress
set
  counts_from = $n
where
  tenant_id = $n
  and file_id = $n;

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
  ($n, …)
on conflict do nothing /* write-file-problems */;

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
  ($n, …),
  …
on conflict do nothing /* write-file-problems */;

insert into
  "session_start" ("tenant_id", "run_id", "file_id", "offset", "step", "wall_time")
values
  ($n, …)
on conflict do nothing /* write-session-starts */;

insert into
  "session_start" ("tenant_id", "run_id", "file_id", "offset", "step", "wall_time")
values
  ($n, …),
  …
on conflict do nothing /* write-session-starts */;
