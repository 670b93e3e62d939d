-- returns view_id uuid, experiment_id text, owner_id uuid, display_name text, name text, parameters text, shared boolean, is_default boolean, updated_at timestamptz
/* list-saved-views */
select
  v.view_id,
  v.experiment_id,
  v.owner_id,
  p.display_name,
  v.name,
  v.parameters,
  v.shared,
  v.is_default,
  v.updated_at
from
  saved_view v
  left join person p on p.person_id = v.owner_id
where
  v.tenant_id = $n
  and v.experiment_id = $n
  and (
    v.shared
    or v.owner_id = $n
  )
order by
  v.name,
  v.view_id
limit
  $n;

-- returns view_id uuid, experiment_id text, owner_id uuid, display_name text, name text, parameters text, shared boolean, is_default boolean, updated_at timestamptz
/* read-saved-view */
select
  v.view_id,
  v.experiment_id,
  v.owner_id,
  p.display_name,
  v.name,
  v.parameters,
  v.shared,
  v.is_default,
  v.updated_at
from
  saved_view v
  left join person p on p.person_id = v.owner_id
where
  v.tenant_id = $n
  and v.view_id = $n;
