-- returns kind text, experiment_id text, runs text[], tags text[], anonymous boolean, logs boolean, origins text[], parameters text, expires_at timestamptz
/* read-share-link */
select
  l.kind,
  l.experiment_id,
  l.runs,
  l.tags,
  l.anonymous,
  l.logs,
  l.origins,
  l.parameters,
  l.expires_at
from
  share_link l
  join experiment e on e.tenant_id = $n
  and e.experiment_id = l.experiment_id
  and e.deleted_at is null
where
  l.tenant_id = $n
  and l.link_id = $n
  and l.revoked_at is null
  and (
    l.expires_at is null
    or l.expires_at > now()
  );
