select t.run_id, t.body
from run_tail t
where t.tenant_id = $n
and t.run_id = any($n::int8[])
order by t.run_id, t.tail_no;
