-- returns tenant_id uuid, experiment_id text
/* read-quiet-experiments */
select
  tenant_id,
  experiment_id
from
  progress_view
where
  outstanding
  and heard_at < now() - make_interval(secs => $n)
order by
  heard_at
limit
  $n;

-- returns tenant_id uuid, experiment_id text
/* read-unheard-experiments */
with recursive
  unheard as (
    (
      select
        b.tenant_id,
        b.experiment_id,
        1 as place
      from
        progress_batch b
      where
        b.worker <> 'receive'
      order by
        b.tenant_id,
        b.experiment_id
      limit
        1
    )
    union all
    select
      n.tenant_id,
      n.experiment_id,
      u.place + 1
    from
      unheard u,
      lateral (
        select
          b.tenant_id,
          b.experiment_id
        from
          progress_batch b
        where
          b.worker <> 'receive'
          and (b.tenant_id, b.experiment_id) > (u.tenant_id, u.experiment_id)
        order by
          b.tenant_id,
          b.experiment_id
        limit
          1
      ) n
    where
      u.place < $n
  )
select
  tenant_id,
  experiment_id
from
  unheard;

-- returns tenant_id uuid, experiment_id text
/* read-unheard-experiments-distinct */
select distinct
  tenant_id,
  experiment_id
from
  progress_batch
where
  worker <> 'receive'
order by
  tenant_id,
  experiment_id
limit
  $n;
