-- returns file_id bigint, run text, file text, version integer, offset bigint, problem_no integer, reason text, detail text, bytes bigint, ends_file boolean
/* list-problems */
select
  p.file_id,
  r.name as run,
  f.name as file,
  f.version,
  p."offset",
  p.problem_no,
  p.reason,
  p.detail,
  p.bytes,
  p.ends_file
from
  (
    select
      file_id,
      "offset",
      problem_no,
      reason,
      detail,
      bytes,
      ends_file
    from
      file_problem
    where
      tenant_id = $n
      and experiment_id = $n
    union all
    select
      d.file_id,
      g.parsed_offset,
      $n::integer,
      'truncated-record',
      'The file is complete, but its last record is cut: its last ' || (d.durable_offset - g.parsed_offset) || ' bytes cannot be read. They will be when the file grows.',
      d.durable_offset - g.parsed_offset,
      true
    from
      event_file d
      join file_progress g on g.tenant_id = $n
      and g.file_id = d.file_id
    where
      d.tenant_id = $n
      and d.experiment_id = $n
      and d.completed_bytes is not null
      and not g.ended
      and g.parsed_offset < d.completed_bytes
      and not exists (
        select
        from
          pending_segment s
        where
          s.tenant_id = $n
          and s.experiment_id = $n
          and s.run_id = d.run_id
          and s.file_id = d.file_id
      )
  ) p
  join event_file f on f.tenant_id = $n
  and f.file_id = p.file_id
  join run r on r.tenant_id = $n
  and r.run_id = f.run_id
  and r.deleted_at is null
where
  (f.created_at, p.file_id, p."offset", p.problem_no) > ($n::timestamptz, $n::int8, $n::int8, $n::integer)
order by
  f.created_at,
  p.file_id,
  p."offset",
  p.problem_no
limit
  $n;

-- returns file_id bigint, run text, file text, version integer, offset bigint, problem_no integer, reason text, detail text, bytes bigint, ends_file boolean
/* list-problems */
select
  p.file_id,
  r.name as run,
  f.name as file,
  f.version,
  p."offset",
  p.problem_no,
  p.reason,
  p.detail,
  p.bytes,
  p.ends_file
from
  (
    select
      file_id,
      "offset",
      problem_no,
      reason,
      detail,
      bytes,
      ends_file
    from
      file_problem
    where
      tenant_id = $n
      and experiment_id = $n
    union all
    select
      d.file_id,
      g.parsed_offset,
      $n::integer,
      'truncated-record',
      'The file is complete, but its last record is cut: its last ' || (d.durable_offset - g.parsed_offset) || ' bytes cannot be read. They will be when the file grows.',
      d.durable_offset - g.parsed_offset,
      true
    from
      event_file d
      join file_progress g on g.tenant_id = $n
      and g.file_id = d.file_id
    where
      d.tenant_id = $n
      and d.experiment_id = $n
      and d.completed_bytes is not null
      and not g.ended
      and g.parsed_offset < d.completed_bytes
      and not exists (
        select
        from
          pending_segment s
        where
          s.tenant_id = $n
          and s.experiment_id = $n
          and s.run_id = d.run_id
          and s.file_id = d.file_id
      )
  ) p
  join event_file f on f.tenant_id = $n
  and f.file_id = p.file_id
  join run r on r.tenant_id = $n
  and r.run_id = f.run_id
  and r.deleted_at is null
where
  true
  and not (
    f.name like $n
    and f.name not like $n
  )
order by
  f.created_at,
  p.file_id,
  p."offset",
  p.problem_no
limit
  $n;

-- returns file_id bigint, run text, file text, version integer, offset bigint, problem_no integer, reason text, detail text, bytes bigint, ends_file boolean
/* list-problems */
select
  p.file_id,
  r.name as run,
  f.name as file,
  f.version,
  p."offset",
  p.problem_no,
  p.reason,
  p.detail,
  p.bytes,
  p.ends_file
from
  (
    select
      file_id,
      "offset",
      problem_no,
      reason,
      detail,
      bytes,
      ends_file
    from
      file_problem
    where
      tenant_id = $n
      and experiment_id = $n
    union all
    select
      d.file_id,
      g.parsed_offset,
      $n::integer,
      'truncated-record',
      'The file is complete, but its last record is cut: its last ' || (d.durable_offset - g.parsed_offset) || ' bytes cannot be read. They will be when the file grows.',
      d.durable_offset - g.parsed_offset,
      true
    from
      event_file d
      join file_progress g on g.tenant_id = $n
      and g.file_id = d.file_id
    where
      d.tenant_id = $n
      and d.experiment_id = $n
      and d.completed_bytes is not null
      and not g.ended
      and g.parsed_offset < d.completed_bytes
      and not exists (
        select
        from
          pending_segment s
        where
          s.tenant_id = $n
          and s.experiment_id = $n
          and s.run_id = d.run_id
          and s.file_id = d.file_id
      )
  ) p
  join event_file f on f.tenant_id = $n
  and f.file_id = p.file_id
  join run r on r.tenant_id = $n
  and r.run_id = f.run_id
  and r.deleted_at is null
where
  true
order by
  f.created_at,
  p.file_id,
  p."offset",
  p.problem_no
limit
  $n;

-- returns problems bigint
/* count-problems-up-to */
select
  count(*) as problems
from
  (
    select
    from
      (
        select
          file_id,
          "offset",
          problem_no,
          reason,
          detail,
          bytes,
          ends_file
        from
          file_problem
        where
          tenant_id = $n
          and experiment_id = $n
        union all
        select
          d.file_id,
          g.parsed_offset,
          $n::integer,
          'truncated-record',
          'The file is complete, but its last record is cut: its last ' || (d.durable_offset - g.parsed_offset) || ' bytes cannot be read. They will be when the file grows.',
          d.durable_offset - g.parsed_offset,
          true
        from
          event_file d
          join file_progress g on g.tenant_id = $n
          and g.file_id = d.file_id
        where
          d.tenant_id = $n
          and d.experiment_id = $n
          and d.completed_bytes is not null
          and not g.ended
          and g.parsed_offset < d.completed_bytes
          and not exists (
            select
            from
              pending_segment s
            where
              s.tenant_id = $n
              and s.experiment_id = $n
              and s.run_id = d.run_id
              and s.file_id = d.file_id
          )
      ) p
      join event_file f on f.tenant_id = $n
      and f.file_id = p.file_id
      join run r on r.tenant_id = $n
      and r.run_id = f.run_id
      and r.deleted_at is null
      and not (
        f.name like $n
        and f.name not like $n
      )
    limit
      $n
  ) found;

-- returns problems bigint
/* count-problems-up-to */
select
  count(*) as problems
from
  (
    select
    from
      (
        select
          file_id,
          "offset",
          problem_no,
          reason,
          detail,
          bytes,
          ends_file
        from
          file_problem
        where
          tenant_id = $n
          and experiment_id = $n
        union all
        select
          d.file_id,
          g.parsed_offset,
          $n::integer,
          'truncated-record',
          'The file is complete, but its last record is cut: its last ' || (d.durable_offset - g.parsed_offset) || ' bytes cannot be read. They will be when the file grows.',
          d.durable_offset - g.parsed_offset,
          true
        from
          event_file d
          join file_progress g on g.tenant_id = $n
          and g.file_id = d.file_id
        where
          d.tenant_id = $n
          and d.experiment_id = $n
          and d.completed_bytes is not null
          and not g.ended
          and g.parsed_offset < d.completed_bytes
          and not exists (
            select
            from
              pending_segment s
            where
              s.tenant_id = $n
              and s.experiment_id = $n
              and s.run_id = d.run_id
              and s.file_id = d.file_id
          )
      ) p
      join event_file f on f.tenant_id = $n
      and f.file_id = p.file_id
      join run r on r.tenant_id = $n
      and r.run_id = f.run_id
      and r.deleted_at is null
    limit
      $n
  ) found;

-- returns problems bigint, truncated_bytes numeric
/* count-problems */
select
  count(*) as problems,
  coalesce(
    sum(p.bytes) filter (
      where
        p.problem_no = $n::integer
    ),
    0
  ) as truncated_bytes
from
  (
    select
      file_id,
      "offset",
      problem_no,
      reason,
      detail,
      bytes,
      ends_file
    from
      file_problem
    where
      tenant_id = $n
      and experiment_id = $n
    union all
    select
      d.file_id,
      g.parsed_offset,
      $n::integer,
      'truncated-record',
      'The file is complete, but its last record is cut: its last ' || (d.durable_offset - g.parsed_offset) || ' bytes cannot be read. They will be when the file grows.',
      d.durable_offset - g.parsed_offset,
      true
    from
      event_file d
      join file_progress g on g.tenant_id = $n
      and g.file_id = d.file_id
    where
      d.tenant_id = $n
      and d.experiment_id = $n
      and d.completed_bytes is not null
      and not g.ended
      and g.parsed_offset < d.completed_bytes
      and not exists (
        select
        from
          pending_segment s
        where
          s.tenant_id = $n
          and s.experiment_id = $n
          and s.run_id = d.run_id
          and s.file_id = d.file_id
      )
  ) p
  join event_file f on f.tenant_id = $n
  and f.file_id = p.file_id
  join run r on r.tenant_id = $n
  and r.run_id = f.run_id
  and r.deleted_at is null;

-- returns problems bigint, truncated_bytes numeric
/* count-problems */
select
  count(*) as problems,
  coalesce(
    sum(p.bytes) filter (
      where
        p.problem_no = $n::integer
    ),
    0
  ) as truncated_bytes
from
  (
    select
      file_id,
      "offset",
      problem_no,
      reason,
      detail,
      bytes,
      ends_file
    from
      file_problem
    where
      tenant_id = $n
      and experiment_id = $n
    union all
    select
      d.file_id,
      g.parsed_offset,
      $n::integer,
      'truncated-record',
      'The file is complete, but its last record is cut: its last ' || (d.durable_offset - g.parsed_offset) || ' bytes cannot be read. They will be when the file grows.',
      d.durable_offset - g.parsed_offset,
      true
    from
      event_file d
      join file_progress g on g.tenant_id = $n
      and g.file_id = d.file_id
    where
      d.tenant_id = $n
      and d.experiment_id = $n
      and d.completed_bytes is not null
      and not g.ended
      and g.parsed_offset < d.completed_bytes
      and not exists (
        select
        from
          pending_segment s
        where
          s.tenant_id = $n
          and s.experiment_id = $n
          and s.run_id = d.run_id
          and s.file_id = d.file_id
      )
  ) p
  join event_file f on f.tenant_id = $n
  and f.file_id = p.file_id
  join run r on r.tenant_id = $n
  and r.run_id = f.run_id
  and r.deleted_at is null
  and not (
    f.name like $n
    and f.name not like $n
  );
