-- returns changed_at timestamptz, changed_by text, before jsonb, after jsonb, note text
/* list-limits-changes */
select
  changed_at,
  changed_by,
  before,
  after,
  note
from
  workspace_limits_change
where
  tenant_id = $n
order by
  changed_at desc,
  change_id
limit
  $n;
