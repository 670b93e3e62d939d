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
