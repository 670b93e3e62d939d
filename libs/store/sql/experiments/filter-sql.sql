-- returns set_config text
/* bound-filter */
select
  set_config('statement_timeout', $n, true);

-- returns set_config text
/* unbound-filter */
select
  set_config('statement_timeout', '0', true);
