-- returns person_id uuid
/* end-browser-session */
delete from browser_session
where
  session_hash = $n
returning
  person_id;

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
