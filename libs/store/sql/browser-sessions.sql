delete from browser_session
where
  person_id = $n
  and (
    $n::uuid is null
    or session_id = $n::uuid
  )
  and (
    $n::bytea is null
    or session_hash <> $n::bytea
  );

delete from browser_session
where
  session_hash = $n
returning
  person_id;

delete from device_code
where
  person_id = $n;

delete from oidc_attempt
where
  person_id = $n;

delete from sign_in_link
where
  person_id = $n;

insert into
  "browser_session" (
    "session_hash",
    "tenant_id",
    "person_id",
    "expires_at",
    "idle_seconds",
    "credential_until",
    "token_id"
  )
values
  ($n, …, least(now() + make_interval(secs => $n), $n::timestamptz), $n, …);

select
  extract(
    epoch
    from
      expires_at - now()
  )::int as seconds
from
  browser_session
where
  session_hash = $n
  and person_id = $n
  and expires_at > now();

select
  session_id,
  created_at,
  seen_at,
  session_hash = $n::bytea as current
from
  browser_session
where
  person_id = $n
  and expires_at > now()
  and seen_at > now() - make_interval(secs => idle_seconds)
order by
  seen_at desc,
  session_id
limit
  100;

select
  tenant_id,
  person_id,
  credential_until,
  token_id,
  seen_at < now() - make_interval(secs => idle_seconds / 20.0) as stale
from
  browser_session
where
  session_hash = $n
  and expires_at > now()
  and seen_at > now() - make_interval(secs => idle_seconds);

update browser_session
set
  seen_at = now()
where
  session_hash = $n;

update browser_session
set
  session_hash = $n,
  tenant_id = $n
where
  session_hash = $n
  and person_id = $n
  and expires_at > now()
returning
  1;
