-- returns name text
/* update-runs-run */
update run
set
  display_name = case
    when $n::text is null then display_name
    else nullif($n::text, '')
  end,
  labels_set = labels_set
  or $n::boolean,
  labels = coalesce($n::text[], labels),
  notes = coalesce($n::text, notes),
  archived_at = case
    when $n then null
    else archived_at
  end
where
  tenant_id = $n
  and experiment_id = $n
  and name_hash = any ($n::bytea[])
  and deleted_at is null
returning
  name;

/* update-runs */
update run
set
  archived_at = now()
where
  tenant_id = $n
  and experiment_id = $n
  and name_hash = any ($n::bytea[])
  and deleted_at is null
  and archived_at is null;
