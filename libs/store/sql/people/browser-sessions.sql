-- returns ?column? integer
/* move-browser-session */
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

-- returns person_id uuid
/* end-browser-session */
delete from browser_session
where
  session_hash = $n
returning
  person_id;

-- returns seconds integer
/* move-browser-session-expires-at */
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

-- returns session_id uuid, created_at timestamptz, seen_at timestamptz, current boolean
/* list-browser-sessions */
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

-- returns tenant_id uuid, person_id uuid, credential_until timestamptz, token_id uuid, stale boolean
/* read-browser-session */
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

/* end-browser-session-oidc-attempt */
delete from oidc_attempt
where
  person_id = $n;

/* end-browser-sessions-of-browser-session */
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

/* end-browser-sessions-of-device-code */
delete from device_code
where
  person_id = $n;

/* end-browser-sessions-of-oidc-attempt */
delete from oidc_attempt
where
  person_id = $n;

/* end-browser-sessions-of-sign-in-link */
delete from sign_in_link
where
  person_id = $n;

/* read-browser-session-browser-session */
update browser_session
set
  seen_at = now()
where
  session_hash = $n;

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
  ($n, …, least(now() + make_interval(secs => $n), $n::timestamptz), $n, …) /* insert-browser-session */;
