-- returns ms float8
/* read-time */
select
  extract(
    epoch
    from
      clock_timestamp()
  )::float8 * 1000 as ms;
