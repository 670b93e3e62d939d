-- Charts count NaN and infinities in each bucket. Few chunks hold any, and this index has only those.

create index scalar_chunk_not_finite on scalar_chunk (tenant_id, series_id, first_step)
where not superseded and (nan_count > 0 or max_value = 'Infinity' or min_value = '-Infinity');
