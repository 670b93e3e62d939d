-- returns taken boolean
/* claim-sweep */
select
  pg_try_advisory_xact_lock($n::bigint) as taken;
