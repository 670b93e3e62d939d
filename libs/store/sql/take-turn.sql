insert into
  maintenance_turn as t (name, next_at)
values
  ($n, now() + make_interval(secs => $n))
on conflict (name) do update
set
  next_at = excluded.next_at
where
  t.next_at <= now()
returning
  1;
