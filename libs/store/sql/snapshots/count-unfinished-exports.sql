-- returns count bigint
/* count-unfinished-exports */
select
  count(*) as count
from
  export_job j
where
  j.tenant_id = $n
  and j.state in ('queued', 'running')
  and (
    j.expires_at is null
    or j.expires_at > now()
  );
