-- returns blobs bigint
/* count-blobs */
select
  coalesce(sum(cardinality(v.blob_sha256)), 0) as blobs
from
  series s
  join blob_sequence_value v on v.tenant_id = $n
  and v.series_id = s.series_id
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
  and r.deleted_at is null
where
  s.tenant_id = $n
  and s.experiment_id = $n
  and s.data_class = 'blob_sequence';
