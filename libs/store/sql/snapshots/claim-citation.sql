-- returns ?column? integer
/* finish-citation */
update citation c
set
  digest = decode($n, 'hex'),
  series = $n,
  scalars = $n,
  tensors = $n,
  blob_sequences = $n,
  digested_at = now()
where
  c.tenant_id = $n
  and c.experiment_id = $n
  and c.attempts = $n
  and c.digest is null
returning
  1;

-- returns ?column? integer
/* renew-citation */
update citation c
set
  worker_until = now() + make_interval(secs => $n)
where
  c.tenant_id = $n
  and c.experiment_id = $n
  and c.attempts = $n
  and c.digest is null
returning
  1;

-- returns attempts integer
/* claim-citation */
update citation c
set
  worker_until = now() + make_interval(secs => $n),
  attempts = c.attempts + 1
where
  c.tenant_id = $n
  and c.experiment_id = $n
  and c.digest is null
  and c.worker_until <= now()
returning
  c.attempts;
