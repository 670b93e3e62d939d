-- returns found boolean
/* is-distributed */
select
  exists (
    select
    from
      pg_extension
    where
      extname = 'citus'
  ) as found;
