-- returns ?column? integer
/* lock-saved-views */
select
  1
from
  experiment
where
  tenant_id = $n
  and experiment_id = $n
for no key update;

-- returns count bigint
/* count-saved-views */
select
  count(*) as count
from
  saved_view
where
  tenant_id = $n
  and experiment_id = $n
  and shared = $n
  and (
    shared
    or owner_id = $n
  );

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

/* insert-saved-view */
insert into
  saved_view (tenant_id, view_id, experiment_id, owner_id, name, parameters, shared)
values
  ($n, …);

/* remove-saved-view */
delete from saved_view
where
  tenant_id = $n
  and view_id = $n;

/* update-saved-view */
update saved_view
set
  name = coalesce($n::text, name),
  parameters = coalesce($n::text, parameters),
  shared = coalesce($n::boolean, shared),
  is_default = coalesce($n::boolean, is_default)
  and coalesce($n::boolean, shared),
  updated_at = now()
where
  tenant_id = $n
  and view_id = $n;

/* update-saved-view-old-default */
update saved_view
set
  is_default = false
where
  tenant_id = $n
  and experiment_id = $n
  and is_default
  and view_id <> $n;
