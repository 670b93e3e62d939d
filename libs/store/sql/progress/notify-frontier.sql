-- returns pg_notify void
/* notify-frontier */
select
  pg_notify ($n, …);

-- returns pg_notify void
/* notify-listeners */
select
  pg_notify ($n, …);
