select s.series_id, s.run_id, r.name, s.tag, v.first_step, v.last_step, v.points, v.chunks, v.cells512, v.cells64, v.cut
from series s
join run r on r.tenant_id = $n
and r.run_id = s.run_id
left join lateral ( select min(c.first_step) first_step, max(c.last_step) last_step, sum(c.count) points, count(*) chunks, sum((c.count + 511) / 512) cells512, sum((c.count + 63) / 64) cells64, count(*) filter (where c.first_step < $n
or c.last_step > $n
or (c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952) cut
from scalar_chunk c
where c.tenant_id = $n
and c.series_id = s.series_id
and not c.superseded
and c.first_step <= $n
and c.last_step >= $n
and c.first_step >= coalesce((select max(e.first_step)
from scalar_chunk e
where e.tenant_id = $n
and e.series_id = s.series_id
and not e.superseded
and e.first_step <= $n), $n) ) v on true
where s.tenant_id = $n
and s.experiment_id = $n
and r.deleted_at is null
and s.data_class = 'scalar'
and ($n::text[] is null
or r.name = any($n))
and ($n::bytea[] is null
or s.tag_hash = any($n))
and ($n::text is null
or s.plugin = $n)
and (s.listed
or $n::boolean)
order by r.name collate "C", s.tag collate "C", s.series_id;
