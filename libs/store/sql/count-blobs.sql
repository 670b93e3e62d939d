select coalesce(sum(cardinality(v.blob_sha256)), 0) as blobs
from series s
join blob_sequence_value v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.experiment_id = $n
and s.data_class = 'blob_sequence';
