/* insert-pending-segments */
with
  told as (
    /* insert-pending-segments-progress-batch */
    insert into
      progress_batch (tenant_id, experiment_id, worker, number, changes)
    values
      ($n, …::json)
  )
insert into
  pending_segment (tenant_id, experiment_id, run_id, file_id, "offset", length, epoch)
values
  ($n, …);

/* insert-pending-segments */
with
  told as (
    /* insert-pending-segments-progress-batch */
    insert into
      progress_batch (tenant_id, experiment_id, worker, number, changes)
    values
      ($n, …::json)
  )
insert into
  pending_segment (tenant_id, experiment_id, run_id, file_id, "offset", length, epoch)
values
  ($n, …),
  …;

/* insert-segments */
insert into
  segment (tenant_id, file_id, "offset", length, crc32c, epoch, encoding, body, object_key)
values
  ($n, …);

/* insert-segments */
insert into
  segment (tenant_id, file_id, "offset", length, crc32c, epoch, encoding, body, object_key)
values
  ($n, …),
  …;

/* stamp-segments */
update segment s
set
  epoch = $n
from
  unnest($n::bigint[], $n::bigint[]) as u (file_id, "offset")
where
  s.tenant_id = $n
  and s.file_id = u.file_id
  and s."offset" = u."offset";
