/* prepared: write-file-progress */
update file_progress p
set
  parsed_offset = u.parsed_offset,
  needs_offset = u.needs_offset,
  ended = u.ended,
  first_wall_time = u.first_wall_time,
  last_wall_time = u.last_wall_time,
  head_crc32c = u.head_crc32c,
  copy_of = u.copy_of,
  replaced = u.replaced,
  records = p.records + u.records,
  rejected_bytes = p.rejected_bytes + u.rejected_bytes,
  unverified_records = p.unverified_records + u.unverified
from
  unnest(
    $n::bigint[],
    $n::bigint[],
    $n::bigint[],
    $n::boolean[],
    $n::bigint[],
    $n::bigint[],
    $n::bigint[],
    $n::float8[],
    $n::float8[],
    $n::bigint[],
    $n::bigint[],
    $n::boolean[]
  ) as u (
    file_id,
    parsed_offset,
    needs_offset,
    ended,
    records,
    rejected_bytes,
    unverified,
    first_wall_time,
    last_wall_time,
    head_crc32c,
    copy_of,
    replaced
  )
where
  p.tenant_id = $n
  and p.file_id = u.file_id;
