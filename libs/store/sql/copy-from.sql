-- returns active boolean
/* is-under-row-security */
select
  row_security_active($n::text) as active;

/* clear-staged-rows */
delete from staged_blob_sequence_value;

/* clear-staged-rows */
delete from staged_scalar_chunk;

/* clear-staged-rows */
delete from staged_tensor_value;

/* copy-rows */
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

/* copy-rows */
copy scalar_chunk (
  tenant_id,
  series_id,
  file_id,
  first_ordinal,
  superseded,
  after_offset,
  count,
  nan_count,
  first_step,
  last_step,
  stride,
  min_step,
  max_step,
  first_wall,
  last_wall,
  min_wall,
  max_wall,
  first_value,
  last_value,
  min_value,
  max_value,
  c64_first_step,
  c64_last_step,
  c64_min_step,
  c64_max_step,
  c64_min_at,
  c64_max_at,
  c64_wall,
  c64_first,
  c64_last,
  c64_min,
  c64_max,
  c64_first8,
  c64_last8,
  c64_min8,
  c64_max8,
  c512_first_step,
  c512_last_step,
  c512_min_step,
  c512_max_step,
  c512_min_at,
  c512_max_at,
  c512_wall,
  c512_first,
  c512_last,
  c512_min,
  c512_max,
  c512_first8,
  c512_last8,
  c512_min8,
  c512_max8,
  body
)
from
  stdin
with
  (format binary);

/* copy-rows */
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

/* copy-rows */
copy staged_scalar_chunk (
  tenant_id,
  series_id,
  file_id,
  first_ordinal,
  superseded,
  after_offset,
  count,
  nan_count,
  first_step,
  last_step,
  stride,
  min_step,
  max_step,
  first_wall,
  last_wall,
  min_wall,
  max_wall,
  first_value,
  last_value,
  min_value,
  max_value,
  c64_first_step,
  c64_last_step,
  c64_min_step,
  c64_max_step,
  c64_min_at,
  c64_max_at,
  c64_wall,
  c64_first,
  c64_last,
  c64_min,
  c64_max,
  c64_first8,
  c64_last8,
  c64_min8,
  c64_max8,
  c512_first_step,
  c512_last_step,
  c512_min_step,
  c512_max_step,
  c512_min_at,
  c512_max_at,
  c512_wall,
  c512_first,
  c512_last,
  c512_min,
  c512_max,
  c512_first8,
  c512_last8,
  c512_min8,
  c512_max8,
  body
)
from
  stdin
with
  (format binary);

/* copy-rows */
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

/* copy-rows */
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

/* insert-staged-rows */
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

/* insert-staged-rows */
insert into
  scalar_chunk (
    tenant_id,
    series_id,
    file_id,
    first_ordinal,
    superseded,
    after_offset,
    count,
    nan_count,
    first_step,
    last_step,
    stride,
    min_step,
    max_step,
    first_wall,
    last_wall,
    min_wall,
    max_wall,
    first_value,
    last_value,
    min_value,
    max_value,
    c64_first_step,
    c64_last_step,
    c64_min_step,
    c64_max_step,
    c64_min_at,
    c64_max_at,
    c64_wall,
    c64_first,
    c64_last,
    c64_min,
    c64_max,
    c64_first8,
    c64_last8,
    c64_min8,
    c64_max8,
    c512_first_step,
    c512_last_step,
    c512_min_step,
    c512_max_step,
    c512_min_at,
    c512_max_at,
    c512_wall,
    c512_first,
    c512_last,
    c512_min,
    c512_max,
    c512_first8,
    c512_last8,
    c512_min8,
    c512_max8,
    body
  )
select
  tenant_id,
  series_id,
  file_id,
  first_ordinal,
  superseded,
  after_offset,
  count,
  nan_count,
  first_step,
  last_step,
  stride,
  min_step,
  max_step,
  first_wall,
  last_wall,
  min_wall,
  max_wall,
  first_value,
  last_value,
  min_value,
  max_value,
  c64_first_step,
  c64_last_step,
  c64_min_step,
  c64_max_step,
  c64_min_at,
  c64_max_at,
  c64_wall,
  c64_first,
  c64_last,
  c64_min,
  c64_max,
  c64_first8,
  c64_last8,
  c64_min8,
  c64_max8,
  c512_first_step,
  c512_last_step,
  c512_min_step,
  c512_max_step,
  c512_min_at,
  c512_max_at,
  c512_wall,
  c512_first,
  c512_last,
  c512_min,
  c512_max,
  c512_first8,
  c512_last8,
  c512_min8,
  c512_max8,
  body
from
  staged_scalar_chunk;

/* insert-staged-rows */
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

/* stage-rows */
create temp table if not exists staged_blob_sequence_value (like public.blob_sequence_value including storage including defaults) on
commit delete rows;

/* stage-rows */
create temp table if not exists staged_scalar_chunk (like public.scalar_chunk including storage including defaults) on
commit delete rows;

/* stage-rows */
create temp table if not exists staged_tensor_value (like public.tensor_value including storage including defaults) on
commit delete rows;
