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
