-- returns tenant_id uuid
/* read-tenants-with-expired-exports */
select distinct
  tenant_id
from
  export_job
where
  expires_at <= now()
limit
  $n;

-- returns tenant_id uuid, export_id uuid
/* read-waiting-exports */
select distinct
  on (j.tenant_id) j.tenant_id,
  j.export_id
from
  export_job j
where
  j.state in ('queued', 'running')
  and j.worker_until <= now()
  and (
    j.expires_at is null
    or j.expires_at > now()
  )
  and not exists (
    select
      1
    from
      export_job b
    where
      b.tenant_id = j.tenant_id
      and b.state = 'running'
      and b.worker_until > now()
      and (
        b.expires_at is null
        or b.expires_at > now()
      )
  )
order by
  j.tenant_id,
  j.requested_at
limit
  $n;
