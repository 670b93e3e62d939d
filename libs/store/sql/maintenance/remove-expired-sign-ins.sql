/* remove-expired-sign-ins-browser-session */
delete from browser_session
where
  session_hash in (
    select
      session_hash
    from
      browser_session
    where
      expires_at < now()
    order by
      expires_at
    limit
      $n
    for update
      skip locked
  );

/* remove-expired-sign-ins-sign-in-link */
delete from sign_in_link
where
  link_hash in (
    select
      link_hash
    from
      sign_in_link
    where
      expires_at < now()
    order by
      expires_at
    limit
      $n
    for update
      skip locked
  );
