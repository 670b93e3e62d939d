-- returns points numeric, bytes numeric
/* remove-file-points */
with
  own as (
    select
      series_id
    from
      series
    where
      tenant_id = $n
      and run_id = $n
  ),
  chunks as (
    delete from scalar_chunk c using own
    where
      c.tenant_id = $n
      and c.series_id = own.series_id
      and c.file_id = any ($n::bigint[])
    returning
      c.count::bigint as points,
      0::bigint as bytes
  ),
  tensors as (
    delete from tensor_value v using own
    where
      v.tenant_id = $n
      and v.series_id = own.series_id
      and v.file_id = any ($n::bigint[])
    returning
      1::bigint as points,
      v.bytes::bigint as bytes
  ),
  blobs as (
    delete from blob_sequence_value b using own
    where
      b.tenant_id = $n
      and b.series_id = own.series_id
      and b.file_id = any ($n::bigint[])
    returning
      1::bigint as points,
      (
        select
          coalesce(sum(n), 0)
        from
          unnest(b.blob_bytes) n
      )::bigint as bytes
  ),
  starts as (
    delete from session_start t
    where
      t.tenant_id = $n
      and t.run_id = $n
      and t.file_id = any ($n::bigint[])
    returning
      1
  )
select
  coalesce(sum(points), 0) as points,
  coalesce(sum(bytes), 0) as bytes
from
  (
    select
      *
    from
      chunks
    union all
    select
      *
    from
      tensors
    union all
    select
      *
    from
      blobs
  ) g;
