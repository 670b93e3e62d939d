/* blank-problems */
update file_problem
set
  detail = replace(detail, $n, '(deleted)')
where
  tenant_id = $n
  and run_id = $n
  and position($n in detail) > 0;

/* clear-run-facts */
update run_facts
set
  recorded_at = null,
  display_name = null,
  job_type = null,
  labels = '{}',
  command = null,
  git_commit = null,
  git_dirty = null,
  git_branch = null,
  git_remote = null,
  folder = null,
  person = null,
  host = null
where
  tenant_id = $n
  and run_id = $n;
