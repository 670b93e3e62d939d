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
