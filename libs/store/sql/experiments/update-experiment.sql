-- returns experiment_id text
update "experiment"
set
  "archived_at" = $n,
  "updated_at" = now()
where
  "tenant_id" = $n
  and "experiment_id" = $n
  and "deleted_at" is null
returning
  "experiment_id" /* update-experiment-experiment */;

-- returns experiment_id text
update "experiment"
set
  "description" = $n,
  "labels" = $n,
  "updated_at" = now()
where
  "tenant_id" = $n
  and "experiment_id" = $n
  and "deleted_at" is null
returning
  "experiment_id" /* update-experiment-experiment */;

-- returns experiment_id text
update "experiment"
set
  "description" = $n,
  "updated_at" = now()
where
  "tenant_id" = $n
  and "experiment_id" = $n
  and "deleted_at" is null
returning
  "experiment_id" /* update-experiment-experiment */;

-- returns experiment_id text
update "experiment"
set
  "name" = $n,
  "description" = $n,
  "updated_at" = now()
where
  "tenant_id" = $n
  and "experiment_id" = $n
  and "deleted_at" is null
returning
  "experiment_id" /* update-experiment-experiment */;

-- returns experiment_id text
update "experiment"
set
  "name" = $n,
  "labels" = $n,
  "updated_at" = now()
where
  "tenant_id" = $n
  and "experiment_id" = $n
  and "deleted_at" is null
returning
  "experiment_id" /* update-experiment-experiment */;

-- returns experiment_id text
update "experiment"
set
  "name" = $n,
  "updated_at" = now()
where
  "tenant_id" = $n
  and "experiment_id" = $n
  and "deleted_at" is null
returning
  "experiment_id" /* update-experiment-experiment */;

-- returns experiment_id text
update "experiment"
set
  "notes" = $n,
  "labels" = $n,
  "updated_at" = now()
where
  "tenant_id" = $n
  and "experiment_id" = $n
  and "deleted_at" is null
returning
  "experiment_id" /* update-experiment-experiment */;

-- returns experiment_id text
update "experiment"
set
  "notes" = $n,
  "updated_at" = now()
where
  "tenant_id" = $n
  and "experiment_id" = $n
  and "deleted_at" is null
returning
  "experiment_id" /* update-experiment-experiment */;

-- returns experiment_id text
update "experiment"
set
  "visibility" = $n,
  "updated_at" = now()
where
  "tenant_id" = $n
  and "experiment_id" = $n
  and "deleted_at" is null
returning
  "experiment_id" /* update-experiment-experiment */;

/* update-experiment */
update experiment
set
  archived_at = now()
where
  tenant_id = $n
  and experiment_id = $n
  and deleted_at is null
  and archived_at is null;
