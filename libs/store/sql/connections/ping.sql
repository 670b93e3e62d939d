-- returns ?column? integer
/* ping */
select
  1;
