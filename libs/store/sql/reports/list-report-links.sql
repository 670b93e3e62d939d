-- returns link_id uuid, name text, anonymous boolean, made_by uuid, display_name text, created_at timestamptz, expires_at timestamptz
/* list-report-links */
select
  l.link_id,
  l.name,
  l.anonymous,
  l.made_by,
  p.display_name,
  l.created_at,
  l.expires_at
from
  report_link l
  left join person p on p.person_id = l.made_by
where
  l.tenant_id = $n
  and l.report_id = $n
  and l.revoked_at is null
  and (
    l.expires_at is null
    or l.expires_at > now()
  )
order by
  l.created_at desc,
  l.link_id
limit
  $n;
