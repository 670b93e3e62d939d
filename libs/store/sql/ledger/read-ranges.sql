-- returns file_id bigint, offset bigint, length integer, crc32c bigint, epoch bigint
/* read-overlaps */
select
  s.file_id,
  s."offset",
  s.length,
  s.crc32c,
  s.epoch
from
  unnest($n::bigint[], $n::bigint[], $n::bigint[]) as u (file_id, first, "end")
  join segment s on s.tenant_id = $n
  and s.file_id = u.file_id
  and s."offset" < u."end"
  and s."offset" > u.first - $n::bigint
  and s."offset" + s.length > u.first;

-- returns file_id bigint, offset bigint, length integer, crc32c bigint, epoch bigint
/* read-ranges-from */
select
  s.file_id,
  s."offset",
  s.length,
  s.crc32c,
  s.epoch
from
  unnest($n::bigint[], $n::bigint[]) as u (file_id, "from")
  join segment s on s.tenant_id = $n
  and s.file_id = u.file_id
  and s."offset" >= u."from"
order by
  s.file_id,
  s."offset";
