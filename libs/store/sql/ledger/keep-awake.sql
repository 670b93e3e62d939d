-- returns awake integer
/* keep-awake */
select
  1 as awake;
