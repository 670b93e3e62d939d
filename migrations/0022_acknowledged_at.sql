-- When data last came to an experiment. In the row that an acknowledgement updates anyway, and that lists read anyway; in no index, so that the update stays within its page.

alter table experiment_epoch add column acknowledged_at timestamptz;
comment on column experiment_epoch.acknowledged_at is 'When its last batch of acknowledgements was. Null: nothing came yet, or it is a snapshot.';

-- What is there already: when the publisher last heard of it, which is soon after data came.
update experiment_epoch a set acknowledged_at = v.heard_at
  from progress_view v, experiment e
 where v.tenant_id = a.tenant_id and v.experiment_id = a.experiment_id
   and e.tenant_id = a.tenant_id and e.experiment_id = a.experiment_id
   and a.acknowledged_epoch > 0 and e.snapshot_of is null;
