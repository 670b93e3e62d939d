-- returns pg_advisory_xact_lock void
/* lock-signing-keys */
select
  pg_advisory_xact_lock(hashtext ('plotline.signing_key'));

/* insert-signing-key */
insert into
  signing_key (key_id, public_key, sealed_key, signs_from)
select
  $n,
  …::jsonb,
  $n,
  now() + make_interval(secs => $n)
where
  not exists (
    select
    from
      signing_key
    where
      key_id <> all ($n::text[])
  );
