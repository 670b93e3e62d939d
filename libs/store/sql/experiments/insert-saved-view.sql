/* insert-saved-view */
insert into
  saved_view (tenant_id, view_id, experiment_id, owner_id, name, parameters, shared)
values
  ($n, …);
