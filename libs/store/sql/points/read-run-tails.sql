-- returns run_id bigint, body bytea
/* read-run-tails */
select
  t.run_id,
  t.body
from
  unnest($n::int8[], $n::int8[], $n::int8[]) as w (run_id, first_series, last_series)
  join run_tail t on t.tenant_id = $n
  and t.run_id = w.run_id
  and t.first_series <= w.last_series
  and t.last_series >= w.first_series
order by
  t.run_id,
  t.tail_no,
  t.part;
