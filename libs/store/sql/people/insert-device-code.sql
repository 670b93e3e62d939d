-- returns ?column? integer
/* insert-device-code-insert-device-code */
insert into
  device_code (device_hash, user_hash, client_name, scopes, interval_seconds, expires_at)
values
  ($n, …::text[], $n, now() + make_interval(secs => $n::int))
on conflict do nothing
returning
  1;

-- returns full boolean
/* insert-device-code-device-code */
select
  count(*) >= $n::int as full
from
  device_code;

/* insert-device-code */
delete from device_code
where
  expires_at < now() - interval '10 minutes';
