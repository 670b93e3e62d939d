/* insert-deletion */
insert into
  deletion (
    tenant_id,
    deletion_id,
    kind,
    experiment_id,
    run_ids,
    tag_hashes,
    from_step,
    to_step,
    through_epoch,
    requested_by
  )
values
  ($n, …::bigint[], $n::bytea[], $n, …);
