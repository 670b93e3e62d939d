-- returns count bigint, coalesce bigint
/* count-tensor-bytes-all */
select
  count(*),
  coalesce(sum(p.bytes), 0)
from
  unnest($n::int8[]) with ordinality q (series_id, no),
  lateral (
    select
      v.file_id,
      v.ordinal,
      v.step,
      v.wall_time,
      v.superseded,
      v.bytes,
      row_number() over (
        order by
          coalesce(g.first_wall_time, '-infinity'),
          f.name collate "C",
          f.version,
          v.ordinal
      ) - 1 as rank,
      count(*) over () as total
    from
      tensor_value v
      join event_file f on f.tenant_id = $n
      and f.file_id = v.file_id
      left join file_progress g on g.tenant_id = $n
      and g.file_id = v.file_id
    where
      v.tenant_id = $n
      and v.series_id = q.series_id
      and v.step between $n::int8 and $n::int8
  ) p
where
  (
    $n::int8 is not null
    and $n::boolean is not null
  )
  and case
    when p.total <= $n then true
    when $n then p.rank >= p.total - $n
    when $n = 1 then p.rank = p.total - 1
    else ((p.rank * ($n - 1) + p.total - 2) / (p.total - 1)) * (p.total - 1) / ($n - 1) = p.rank
  end;

-- returns count bigint, coalesce bigint
/* count-tensor-bytes-effective */
select
  count(*),
  coalesce(sum(p.bytes), 0)
from
  unnest($n::int8[]) with ordinality q (series_id, no),
  lateral (
    select
      v.file_id,
      v.ordinal,
      v.step,
      v.wall_time,
      v.superseded,
      v.bytes,
      row_number() over (
        order by
          v.step
      ) - 1 as rank,
      count(*) over () as total
    from
      tensor_value v
    where
      v.tenant_id = $n
      and v.series_id = q.series_id
      and v.step between $n::int8 and $n::int8
      and not v.superseded
  ) p
where
  (
    $n::int8 is not null
    and $n::boolean is not null
  )
  and case
    when p.total <= $n then true
    when $n then p.rank >= p.total - $n
    when $n = 1 then p.rank = p.total - 1
    else ((p.rank * ($n - 1) + p.total - 2) / (p.total - 1)) * (p.total - 1) / ($n - 1) = p.rank
  end;

-- returns no bigint, total bigint, file_id bigint, ordinal bigint, step bigint, wall_time float8, superseded boolean, blob_sha256 bytea[], blob_bytes bigint[]
/* read-blob-sequences-effective */
select
  q.no,
  p.total,
  p.file_id,
  p.ordinal,
  p.step,
  p.wall_time,
  p.superseded,
  p.blob_sha256,
  p.blob_bytes
from
  unnest($n::int8[]) with ordinality q (series_id, no),
  lateral (
    select
      v.file_id,
      v.ordinal,
      v.step,
      v.wall_time,
      v.superseded,
      v.blob_sha256,
      v.blob_bytes,
      row_number() over (
        order by
          v.step
      ) - 1 as rank,
      count(*) over () as total
    from
      blob_sequence_value v
    where
      v.tenant_id = $n
      and v.series_id = q.series_id
      and v.step between $n::int8 and $n::int8
      and not v.superseded
  ) p
where
  (
    $n::int8 is not null
    and $n::boolean is not null
  )
  and case
    when p.total <= $n then true
    when $n then p.rank >= p.total - $n
    when $n = 1 then p.rank = p.total - 1
    else ((p.rank * ($n - 1) + p.total - 2) / (p.total - 1)) * (p.total - 1) / ($n - 1) = p.rank
  end
order by
  q.no,
  p.rank;

-- returns no bigint, total bigint, file_id bigint, ordinal bigint, step bigint, wall_time float8, superseded boolean, dtype text, shape bigint[], bytes integer, body bytea, object_key text
/* read-tensors-all */
select
  q.no,
  p.total,
  p.file_id,
  p.ordinal,
  p.step,
  p.wall_time,
  p.superseded,
  p.dtype,
  p.shape,
  p.bytes,
  p.body,
  p.object_key
from
  unnest($n::int8[]) with ordinality q (series_id, no),
  lateral (
    select
      v.file_id,
      v.ordinal,
      v.step,
      v.wall_time,
      v.superseded,
      v.dtype,
      v.shape,
      v.bytes,
      v.body,
      v.object_key,
      row_number() over (
        order by
          coalesce(g.first_wall_time, '-infinity'),
          f.name collate "C",
          f.version,
          v.ordinal
      ) - 1 as rank,
      count(*) over () as total
    from
      tensor_value v
      join event_file f on f.tenant_id = $n
      and f.file_id = v.file_id
      left join file_progress g on g.tenant_id = $n
      and g.file_id = v.file_id
    where
      v.tenant_id = $n
      and v.series_id = q.series_id
      and v.step between $n::int8 and $n::int8
  ) p
where
  (
    $n::int8 is not null
    and $n::boolean is not null
  )
  and case
    when p.total <= $n then true
    when $n then p.rank >= p.total - $n
    when $n = 1 then p.rank = p.total - 1
    else ((p.rank * ($n - 1) + p.total - 2) / (p.total - 1)) * (p.total - 1) / ($n - 1) = p.rank
  end
order by
  q.no,
  p.rank;

-- returns no bigint, total bigint, file_id bigint, ordinal bigint, step bigint, wall_time float8, superseded boolean, dtype text, shape bigint[], bytes integer, body bytea, object_key text
/* read-tensors-effective */
select
  q.no,
  p.total,
  p.file_id,
  p.ordinal,
  p.step,
  p.wall_time,
  p.superseded,
  p.dtype,
  p.shape,
  p.bytes,
  p.body,
  p.object_key
from
  unnest($n::int8[]) with ordinality q (series_id, no),
  lateral (
    select
      v.file_id,
      v.ordinal,
      v.step,
      v.wall_time,
      v.superseded,
      v.dtype,
      v.shape,
      v.bytes,
      v.body,
      v.object_key,
      row_number() over (
        order by
          v.step
      ) - 1 as rank,
      count(*) over () as total
    from
      tensor_value v
    where
      v.tenant_id = $n
      and v.series_id = q.series_id
      and v.step between $n::int8 and $n::int8
      and not v.superseded
  ) p
where
  (
    $n::int8 is not null
    and $n::boolean is not null
  )
  and case
    when p.total <= $n then true
    when $n then p.rank >= p.total - $n
    when $n = 1 then p.rank = p.total - 1
    else ((p.rank * ($n - 1) + p.total - 2) / (p.total - 1)) * (p.total - 1) / ($n - 1) = p.rank
  end
order by
  q.no,
  p.rank;
