delete from device_code
where
  device_hash = $n
  and state <> 'pending'
  and expires_at > now()
returning
  state,
  client_name,
  scopes,
  tenant_id,
  person_id,
  credential_until,
  token_id;

delete from device_code
where
  expires_at < now() - interval '10 minutes';

insert into
  device_code (device_hash, user_hash, client_name, scopes, interval_seconds, expires_at)
select
  $n::bytea,
  $n::bytea,
  $n,
  …::text[],
  $n::int,
  now() + make_interval(secs => $n::int)
where
  (
    select
      count(*)
    from
      device_code
  ) < $n::int
on conflict do nothing
returning
  1;

select
  client_name,
  scopes
from
  device_code
where
  user_hash = $n
  and state = 'pending'
  and expires_at > now();

update device_code
set
  state = $n,
  tenant_id = $n,
  person_id = $n,
  credential_until = $n,
  token_id = $n
where
  user_hash = $n
  and state = 'pending'
  and expires_at > now()
returning
  1;

with
  before as (
    select
      device_hash,
      coalesce(polled_at > now() - make_interval(secs => interval_seconds), false) as early
    from
      device_code
    where
      device_hash = $n
    for update
  )
update device_code as d
set
  polled_at = now(),
  interval_seconds = d.interval_seconds + case
    when before.early then 5
    else 0
  end
from
  before
where
  d.device_hash = before.device_hash
returning
  d.expires_at > now() as good,
  before.early;
