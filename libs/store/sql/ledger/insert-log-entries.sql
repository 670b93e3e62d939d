-- returns records bigint, needs_offset bigint, entry_offset bigint, entry_lines bigint
/* read-log-end */
select
  p.records,
  p.needs_offset,
  i."offset" as entry_offset,
  i.lines as entry_lines
from
  file_progress p
  left join lateral (
    select
      l."offset",
      l.lines
    from
      log_index l
    where
      l.tenant_id = $n
      and l.file_id = p.file_id
    order by
      l."offset" desc
    limit
      1
  ) i on true
where
  p.tenant_id = $n
  and p.file_id = $n;

/* insert-log-entries */
insert into
  log_index (tenant_id, file_id, "offset", lines, run_id, experiment_id)
select
  $n,
  …,
  e."offset",
  e.lines,
  $n,
  …
from
  unnest($n::bigint[], $n::bigint[]) as e ("offset", lines)
on conflict do nothing;
