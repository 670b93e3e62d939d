with settled as ( delete
from pending_segment
where tenant_id = $n
and experiment_id = $n
and run_id = $n
and file_id = $n
and "offset" = any($n::bigint[])
returning epoch) select epoch, count(*) as segments
from settled
group by epoch;
