begin;

commit;

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

select
  pg_advisory_xact_lock(hashtext ('plotline.signing_key'));
