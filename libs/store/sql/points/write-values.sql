-- returns series_id bigint
/* supersede-values */
update "blob_sequence_value"
set
  superseded = true
where
  tenant_id = $n
  and series_id = any ($n::bigint[])
  and not superseded
  and step >= $n
  and (
    file_id = any ($n::bigint[])
    or (
      file_id = $n
      and record_offset < $n
    )
  )
returning
  series_id;

-- returns series_id bigint
/* supersede-values */
update "tensor_value"
set
  superseded = true
where
  tenant_id = $n
  and series_id = any ($n::bigint[])
  and not superseded
  and step >= $n
  and (
    file_id = any ($n::bigint[])
    or (
      file_id = $n
      and record_offset < $n
    )
  )
returning
  series_id;

-- returns series_id bigint, next_ordinal bigint, last_file bigint, last_step bigint
/* read-value-heads */
select
  i.series_id,
  coalesce(o.ordinal + 1, 0) as next_ordinal,
  l.file_id as last_file,
  l.step as last_step
from
  unnest($n::bigint[]) as i (series_id)
  left join lateral (
    select
      ordinal
    from
      "blob_sequence_value" v
    where
      v.tenant_id = $n
      and v.series_id = i.series_id
      and v.file_id = $n
    order by
      ordinal desc
    limit
      1
  ) o on true
  left join lateral (
    select
      file_id,
      step
    from
      "blob_sequence_value" v
    where
      v.tenant_id = $n
      and v.series_id = i.series_id
      and not v.superseded
    order by
      step desc
    limit
      1
  ) l on true;

-- returns series_id bigint, next_ordinal bigint, last_file bigint, last_step bigint
/* read-value-heads */
select
  i.series_id,
  coalesce(o.ordinal + 1, 0) as next_ordinal,
  l.file_id as last_file,
  l.step as last_step
from
  unnest($n::bigint[]) as i (series_id)
  left join lateral (
    select
      ordinal
    from
      "tensor_value" v
    where
      v.tenant_id = $n
      and v.series_id = i.series_id
      and v.file_id = $n
    order by
      ordinal desc
    limit
      1
  ) o on true
  left join lateral (
    select
      file_id,
      step
    from
      "tensor_value" v
    where
      v.tenant_id = $n
      and v.series_id = i.series_id
      and not v.superseded
    order by
      step desc
    limit
      1
  ) l on true;

-- returns series_id bigint, step bigint
/* read-first-steps */
select
  series_id,
  min(step) as step
from
  "blob_sequence_value"
where
  tenant_id = $n
  and series_id = any ($n::bigint[])
  and file_id = any ($n::bigint[])
  and not superseded
group by
  series_id;

-- returns series_id bigint, step bigint
/* read-first-steps */
select
  series_id,
  min(step) as step
from
  "tensor_value"
where
  tenant_id = $n
  and series_id = any ($n::bigint[])
  and file_id = any ($n::bigint[])
  and not superseded
group by
  series_id;
