-- returns taken boolean
/* claim-snapshot */
select
  pg_try_advisory_xact_lock(hashtextextended ($n, 21)) as taken;
