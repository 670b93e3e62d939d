-- returns keys text[], sizes bigint[], bytes integer
/* remove-values */
delete from "blob_sequence_value" v using (
  select
    d.series_id,
    d.file_id,
    d.ordinal
  from
    "blob_sequence_value" d
  where
    d.tenant_id = $n
    and d.series_id = any ($n::bigint[])
    and (
      $n::bigint is null
      or d.step >= $n::bigint
    )
    and (
      $n::bigint is null
      or d.step <= $n::bigint
    )
  limit
    $n
) d
where
  v.tenant_id = $n
  and v.series_id = d.series_id
  and v.file_id = d.file_id
  and v.ordinal = d.ordinal
returning
  array(
    select
      case
        when h is null then null
        else 'blob/' || encode(h, 'hex')
      end
    from
      unnest(v.blob_sha256) with ordinality u (h, n)
    order by
      n
  ) as keys,
  v.blob_bytes as sizes,
  0 as bytes;

-- returns keys text[], sizes bigint[], bytes integer
/* remove-values */
delete from "tensor_value" v using (
  select
    d.series_id,
    d.file_id,
    d.ordinal
  from
    "tensor_value" d
  where
    d.tenant_id = $n
    and d.series_id = any ($n::bigint[])
    and (
      $n::bigint is null
      or d.step >= $n::bigint
    )
    and (
      $n::bigint is null
      or d.step <= $n::bigint
    )
  limit
    $n
) d
where
  v.tenant_id = $n
  and v.series_id = d.series_id
  and v.file_id = d.file_id
  and v.ordinal = d.ordinal
returning
  case
    when v.object_key is null then '{}'
    else array[v.object_key]
  end as keys,
  array[v.bytes]::bigint[] as sizes,
  coalesce(octet_length(v.body), 0) as bytes;

-- returns rows bigint, points bigint, bytes bigint
/* remove-chunks */
with
  gone as (
    delete from scalar_chunk c using (
      select
        d.series_id,
        d.file_id,
        d.first_ordinal
      from
        scalar_chunk d
      where
        d.tenant_id = $n
        and d.series_id = any ($n::bigint[])
      limit
        $n
    ) d
    where
      c.tenant_id = $n
      and c.series_id = d.series_id
      and c.file_id = d.file_id
      and c.first_ordinal = d.first_ordinal
    returning
      c.count,
      octet_length(c.body) as bytes
  )
select
  count(*) as rows,
  coalesce(sum(count), 0) as points,
  coalesce(sum(bytes), 0) as bytes
from
  gone;
