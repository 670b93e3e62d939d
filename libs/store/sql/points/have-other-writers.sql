-- returns found boolean
/* have-other-writers */
select
  exists (
    select
    from
      series s
      join series o on o.tenant_id = $n
      and o.run_id = s.run_id
      and o.tag_hash = s.tag_hash
      and o.writer <> s.writer
      and o.data_class = 'scalar'
      and o.listed
    where
      s.tenant_id = $n
      and s.series_id = any ($n::int8[])
  ) as found;
