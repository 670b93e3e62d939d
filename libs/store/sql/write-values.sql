copy blob_sequence_value (
  tenant_id,
  series_id,
  file_id,
  ordinal,
  record_offset,
  step,
  wall_time,
  superseded,
  blob_sha256,
  blob_bytes
)
from
  stdin
with
  (format binary);

copy staged_blob_sequence_value (
  tenant_id,
  series_id,
  file_id,
  ordinal,
  record_offset,
  step,
  wall_time,
  superseded,
  blob_sha256,
  blob_bytes
)
from
  stdin
with
  (format binary);

copy staged_tensor_value (
  tenant_id,
  series_id,
  file_id,
  ordinal,
  record_offset,
  step,
  wall_time,
  superseded,
  dtype,
  shape,
  bytes,
  body,
  object_key
)
from
  stdin
with
  (format binary);

copy tensor_value (
  tenant_id,
  series_id,
  file_id,
  ordinal,
  record_offset,
  step,
  wall_time,
  superseded,
  dtype,
  shape,
  bytes,
  body,
  object_key
)
from
  stdin
with
  (format binary);

create temp table if not exists staged_blob_sequence_value (like public.blob_sequence_value including storage including defaults) on
commit delete rows;

create temp table if not exists staged_tensor_value (like public.tensor_value including storage including defaults) on
commit delete rows;

delete from staged_blob_sequence_value;

delete from staged_tensor_value;

insert into
  blob_sequence_value (
    tenant_id,
    series_id,
    file_id,
    ordinal,
    record_offset,
    step,
    wall_time,
    superseded,
    blob_sha256,
    blob_bytes
  )
select
  tenant_id,
  series_id,
  file_id,
  ordinal,
  record_offset,
  step,
  wall_time,
  superseded,
  blob_sha256,
  blob_bytes
from
  staged_blob_sequence_value;

insert into
  tensor_value (
    tenant_id,
    series_id,
    file_id,
    ordinal,
    record_offset,
    step,
    wall_time,
    superseded,
    dtype,
    shape,
    bytes,
    body,
    object_key
  )
select
  tenant_id,
  series_id,
  file_id,
  ordinal,
  record_offset,
  step,
  wall_time,
  superseded,
  dtype,
  shape,
  bytes,
  body,
  object_key
from
  staged_tensor_value;

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

select
  row_security_active($n::text) as active;

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
