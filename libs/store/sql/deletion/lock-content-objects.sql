-- returns pg_advisory_xact_lock void
/* lock-content-objects */
select
  pg_advisory_xact_lock(hashtextextended ($n, 20));

-- returns pg_advisory_xact_lock_shared void
/* share-content-objects */
select
  pg_advisory_xact_lock_shared(hashtextextended ($n, 20));
