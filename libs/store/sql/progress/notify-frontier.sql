-- returns pg_notify void
/* notify-frontier */
select
  pg_notify ($n, …);
