-- returns files bigint, bytes numeric
/* count-kept-files */
select
  count(*) as files,
  coalesce(sum(f.durable_offset), 0) as bytes
from
  event_file f
  left join file_progress p on p.tenant_id = $n
  and p.file_id = f.file_id
where
  f.tenant_id = $n
  and f.dropped_bytes = 0
  and (
    f.file_id = any ($n::bigint[])
    or p.copy_of = any ($n::bigint[])
  );

-- returns points bigint, files text[]
/* count-values */
select
  count(*) as points,
  array_agg(distinct file_id::text) as files
from
  "blob_sequence_value"
where
  tenant_id = $n
  and series_id = any ($n::bigint[])
  and (
    $n::bigint is null
    or step >= $n::bigint
  )
  and (
    $n::bigint is null
    or step <= $n::bigint
  );

-- returns points bigint, files text[]
/* count-values */
select
  count(*) as points,
  array_agg(distinct file_id::text) as files
from
  "tensor_value"
where
  tenant_id = $n
  and series_id = any ($n::bigint[])
  and (
    $n::bigint is null
    or step >= $n::bigint
  )
  and (
    $n::bigint is null
    or step <= $n::bigint
  );

-- returns points bigint, files text[]
/* count-whole-chunks */
select
  coalesce(sum(count), 0) as points,
  array_agg(distinct file_id::text) as files
from
  scalar_chunk
where
  tenant_id = $n
  and series_id = any ($n::bigint[])
  and (
    (
      $n::bigint is null
      and $n::bigint is null
    )
    or (
      not superseded
      and (
        $n::bigint is null
        or first_step >= $n::bigint
      )
      and (
        $n::bigint is null
        or last_step <= $n::bigint
      )
    )
  );

-- returns runs bigint, files numeric, series numeric, points numeric, bytes numeric
/* count-runs */
select
  count(*) as runs,
  coalesce(sum(f.files), 0) as files,
  coalesce(sum(s.series), 0) as series,
  coalesce(sum(s.points), 0) as points,
  coalesce(sum(f.bytes), 0) as bytes
from
  run r
  left join run_state s on s.tenant_id = $n
  and s.run_id = r.run_id
  left join lateral (
    select
      count(*) as files,
      sum(e.durable_offset - e.dropped_bytes) as bytes
    from
      event_file e
    where
      e.tenant_id = $n
      and e.run_id = r.run_id
  ) f on true
where
  r.tenant_id = $n
  and r.run_id = any ($n::bigint[])
  and r.deleted_at is null;

-- returns series_id bigint
/* list-selected-series */
select
  series_id
from
  series
where
  tenant_id = $n
  and run_id = any ($n::bigint[])
  and (
    $n
    or tag_hash = any ($n::bytea[])
  );

-- returns series_id bigint, file_id bigint, first_ordinal bigint, count integer, body bytea
/* read-cut-chunks */
select
  series_id,
  file_id,
  first_ordinal,
  count,
  body
from
  scalar_chunk
where
  tenant_id = $n
  and series_id = any ($n::bigint[])
  and (series_id, file_id, first_ordinal) > ($n::bigint, $n::bigint, $n::bigint)
  and (
    superseded
    or (
      (
        $n::bigint is null
        or last_step >= $n::bigint
      )
      and (
        $n::bigint is null
        or first_step <= $n::bigint
      )
      and not (
        (
          $n::bigint is null
          or first_step >= $n::bigint
        )
        and (
          $n::bigint is null
          or last_step <= $n::bigint
        )
      )
    )
  )
order by
  series_id,
  file_id,
  first_ordinal
limit
  $n;
