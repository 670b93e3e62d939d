-- returns link_id uuid, kind text, experiment_id text, source_id text, name text, made_by uuid, display_name text, runs text[], tags text[], anonymous boolean, logs boolean, origins text[], parameters text, created_at timestamptz, expires_at timestamptz
/* list-share-links */
select
  l.link_id,
  l.kind,
  l.experiment_id,
  l.source_id,
  l.name,
  l.made_by,
  p.display_name,
  l.runs,
  l.tags,
  l.anonymous,
  l.logs,
  l.origins,
  l.parameters,
  l.created_at,
  l.expires_at
from
  share_link l
  join experiment e on e.tenant_id = $n
  and e.experiment_id = l.experiment_id
  and e.deleted_at is null
  left join person p on p.person_id = l.made_by
where
  l.tenant_id = $n
  and (
    l.source_id = $n
    or l.experiment_id = $n
  )
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
