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
