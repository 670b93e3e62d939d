-- returns report_id uuid, anonymous boolean, expires_at timestamptz, experiment_id text
/* read-report-link */
select
  l.report_id,
  l.anonymous,
  l.expires_at,
  e.experiment_id
from
  report_link l
  join report r on r.tenant_id = $n
  and r.report_id = l.report_id
  left join experiment e on e.tenant_id = $n
  and e.experiment_id = any (r.experiments)
  and e.deleted_at is null
where
  l.tenant_id = $n
  and l.link_id = $n
  and l.revoked_at is null
  and (
    l.expires_at is null
    or l.expires_at > now()
  );
