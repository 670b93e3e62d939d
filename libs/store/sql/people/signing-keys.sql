-- returns key_id text, public_key jsonb, sealed_key bytea, signs_for float8
/* read-signing-keys */
select
  key_id,
  public_key,
  sealed_key,
  extract(
    epoch
    from
      clock_timestamp() - signs_from
  )::float8 as signs_for
from
  signing_key
order by
  signs_from desc,
  key_id;

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

/* remove-old-signing-keys */
delete from signing_key k
where
  exists (
    select
    from
      signing_key n
    where
      n.signs_from > k.signs_from
      and n.signs_from < now() - make_interval(secs => $n)
  );
