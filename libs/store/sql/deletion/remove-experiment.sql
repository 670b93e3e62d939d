-- returns ?column? integer
/* remove-experiment-row-experiment */
select
  1
from
  experiment
where
  tenant_id = $n
  and experiment_id = $n
for update;

-- returns ?column? integer
/* remove-experiment-row-run */
select
  1
from
  run
where
  tenant_id = $n
  and experiment_id = $n
limit
  1;

-- returns link_id uuid
/* remove-experiment-row-share-link */
select
  link_id
from
  share_link
where
  tenant_id = $n
  and experiment_id = $n;

/* remove-experiment-row-delete-experiment */
delete from experiment
where
  tenant_id = $n
  and experiment_id = $n;

/* remove-experiment-row-experiment-route */
delete from experiment_route
where
  experiment_id = $n;

/* remove-experiment-row-idempotency-key */
delete from idempotency_key
where
  tenant_id = $n
  and position($n in response::text) > 0;

/* remove-experiment-row-pending-segment */
delete from pending_segment
where
  tenant_id = $n
  and experiment_id = $n;

/* remove-experiment-row-share-link-route */
delete from share_link_route
where
  tenant_id = $n
  and link_id = any ($n::uuid[]);
