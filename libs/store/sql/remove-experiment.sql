delete from experiment
where
  tenant_id = $n
  and experiment_id = $n;

delete from experiment_route
where
  experiment_id = $n;

delete from idempotency_key
where
  tenant_id = $n
  and position($n in response::text) > 0;

delete from pending_segment
where
  tenant_id = $n
  and experiment_id = $n;

delete from share_link_route
where
  tenant_id = $n
  and link_id = any ($n::uuid[]);

select
  1
from
  experiment
where
  tenant_id = $n
  and experiment_id = $n
for update;

select
  1
from
  run
where
  tenant_id = $n
  and experiment_id = $n
limit
  1;

select
  experiment_id
from
  experiment
where
  tenant_id = $n
order by
  experiment_id
limit
  $n;

select
  link_id
from
  share_link
where
  tenant_id = $n
  and experiment_id = $n;
