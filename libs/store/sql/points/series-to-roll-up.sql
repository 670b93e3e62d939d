-- returns series_id bigint
/* prepared: list-series-to-roll-up */
select
  series_id
from
  series_to_roll_up
where
  tenant_id = $n
  and run_id = $n
order by
  series_id
limit
  $n;

/* prepared: note-series-to-roll-up */
insert into
  series_to_roll_up (tenant_id, run_id, series_id)
select
  $n::uuid,
  s.run_id,
  s.series_id
from
  series s
  cross join lateral (
    select
      (
        select
          max(r.last_step)
        from
          scalar_rollup r
        where
          r.tenant_id = $n
          and r.series_id = s.series_id
          and r.level = 1
      ) as last_step
    offset
      0
  ) l
  cross join lateral (
    select
      coalesce(l.last_step, (-9223372036854775808)::int8) as bound
    offset
      0
  ) b
  cross join lateral (
    select
      count(*) as chunks
    from
      (
        select
        from
          scalar_chunk c
        where
          c.tenant_id = $n
          and c.series_id = s.series_id
          and not c.superseded
          and c.first_step >= b.bound
          and c.first_step is distinct from l.last_step
        order by
          c.first_step
        limit
          $n
      ) c
  ) n
where
  s.tenant_id = $n
  and s.series_id = any ($n::bigint[])
  and n.chunks > $n
on conflict (tenant_id, run_id, series_id) do nothing;

/* settle-series-to-roll-up */
delete from series_to_roll_up
where
  tenant_id = $n
  and run_id = $n
  and series_id = any ($n::bigint[]);
