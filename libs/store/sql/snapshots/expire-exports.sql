/* expire-exports */
update export_job j
set
  expires_at = now()
where
  j.tenant_id = $n
  and j.experiment_id = $n
  and (
    $n::uuid is null
    or j.export_id = $n
  )
  and (
    j.expires_at is null
    or j.expires_at > now()
  );

/* remove-expired-exports */
delete from export_job
where
  tenant_id = $n
  and export_id in (
    select
      export_id
    from
      export_job
    where
      tenant_id = $n
      and expires_at <= now()
    order by
      expires_at
    limit
      $n
    for update
      skip locked
  );
