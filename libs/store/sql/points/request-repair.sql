-- returns runs bigint
/* count-repairs */
select
  count(*) as runs
from
  run_work w
  join run r on r.tenant_id = $n
  and r.run_id = w.run_id
  and r.deleted_at is null
where
  w.tenant_id = $n
  and w.experiment_id = $n
  and w.remark;

-- returns runs bigint
/* request-repair */
with
  asked as (
    select
      w.run_id,
      w.remark
    from
      run_work w
      join run r on r.tenant_id = $n
      and r.run_id = w.run_id
      and r.deleted_at is null
    where
      w.tenant_id = $n
      and w.experiment_id = $n
      and (
        $n
        or r.name_hash = any ($n::bytea[])
      )
  ),
  marked as (
    update run_work w
    set
      remark = true,
      retry_at = least(w.retry_at, now())
    from
      asked a
    where
      w.tenant_id = $n
      and w.run_id = a.run_id
      and not a.remark
  )
select
  count(*) as runs
from
  asked;
