/* prepared: write-files-as-writers */
update file_progress p
set
  first_wall_time = u.first_wall_time,
  last_wall_time = u.last_wall_time,
  head_crc32c = u.head_crc32c,
  copy_of = u.copy_of,
  replaced = u.replaced
from
  unnest($n::bigint[], $n::float8[], $n::float8[], $n::bigint[], $n::bigint[], $n::boolean[]) as u (file_id, first_wall_time, last_wall_time, head_crc32c, copy_of, replaced)
where
  p.tenant_id = $n
  and p.file_id = u.file_id;

/* write-counts-from */
update file_progress
set
  counts_from = $n
where
  tenant_id = $n
  and file_id = $n;
