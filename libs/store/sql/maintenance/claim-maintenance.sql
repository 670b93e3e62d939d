-- returns ?column? integer
/* claim-maintenance */
update maintenance_turn
set
  next_at = now() + make_interval(secs => $n)
where
  name = $n
  and next_at <= now()
returning
  1;

-- returns ?column? integer
/* insert-maintenance-due */
insert into
  maintenance_turn (name, next_at)
values
  ($n, now() + make_interval(secs => $n))
on conflict (name) do nothing
returning
  1;

-- returns due boolean
/* read-maintenance-due */
select
  next_at <= now() as due
from
  maintenance_turn
where
  name = $n;
