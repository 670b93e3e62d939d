/* forget-workers */
delete from progress_heard
where
  tenant_id = $n
  and experiment_id = $n
  and worker <> all ($n::text[]);
