insert into
  maintenance_turn (name, next_at)
values
  ($n, now() + make_interval(secs => $n))
on conflict (name) do nothing
returning
  1;

select
  next_at <= now() as due
from
  maintenance_turn
where
  name = $n;

update maintenance_turn
set
  next_at = now() + make_interval(secs => $n)
where
  name = $n
  and next_at <= now()
returning
  1;
