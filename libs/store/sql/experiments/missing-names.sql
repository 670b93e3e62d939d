-- returns run_no bigint, tag_no bigint
/* missing-names */
select
  q.no as run_no,
  null::int8 as tag_no
from
  unnest($n::bytea[]) with ordinality q (hash, no)
where
  not exists (
    select
      1
    from
      run r
    where
      r.tenant_id = $n
      and r.experiment_id = $n
      and r.name_hash = q.hash
      and r.deleted_at is null
  )
union all
select
  null,
  q.no
from
  unnest($n::bytea[]) with ordinality q (hash, no)
where
  not exists (
    select
      1
    from
      series s
      join run r on r.tenant_id = $n
      and r.run_id = s.run_id
      and r.deleted_at is null
    where
      s.tenant_id = $n
      and s.experiment_id = $n
      and s.tag_hash = q.hash
  );
