select
  pg_notify ($n, …);
