-- returns experiment_id text, tags bigint, tensor_bytes bigint, blob_bytes numeric, last_write timestamptz
/* read-experiment-totals */
select
  e.experiment_id,
  c.tags,
  t.tensor_bytes,
  b.blob_bytes,
  greatest(e.updated_at, f.last_write) as last_write
from
  experiment e,
  lateral (
    select
      count(distinct s.tag_hash) as tags
    from
      series s
      join run r on r.tenant_id = $n
      and r.run_id = s.run_id
      and r.deleted_at is null
    where
      s.tenant_id = $n
      and s.experiment_id = e.experiment_id
      and s.listed
  ) c,
  lateral (
    select
      coalesce(sum(v.bytes), 0) as tensor_bytes
    from
      series s
      join run r on r.tenant_id = $n
      and r.run_id = s.run_id
      and r.deleted_at is null
      join tensor_value v on v.tenant_id = $n
      and v.series_id = s.series_id
    where
      s.tenant_id = $n
      and s.experiment_id = e.experiment_id
      and s.data_class = 'tensor'
      and s.listed
  ) t,
  lateral (
    select
      coalesce(
        sum(
          (
            select
              sum(u.bytes)
            from
              unnest(v.blob_bytes) as u (bytes)
          )
        ),
        0
      ) as blob_bytes
    from
      series s
      join run r on r.tenant_id = $n
      and r.run_id = s.run_id
      and r.deleted_at is null
      join blob_sequence_value v on v.tenant_id = $n
      and v.series_id = s.series_id
    where
      s.tenant_id = $n
      and s.experiment_id = e.experiment_id
      and s.data_class = 'blob_sequence'
      and s.listed
  ) b,
  lateral (
    select
      max(g.received_at) as last_write
    from
      event_file d
      join segment g on g.tenant_id = $n
      and g.file_id = d.file_id
    where
      d.tenant_id = $n
      and d.experiment_id = e.experiment_id
  ) f
where
  e.tenant_id = $n
  and e.experiment_id = any ($n::text[])
  and e.deleted_at is null;
