/* bound-filter */
select
  set_config('statement_timeout', $n, true);

/* list-experiments */
select
from
  experiment b
where
  b.tenant_id = $n
  and b.experiment_id = $n;

/* summarize */
with
  page as materialized (
    select
      b.*
    from
      (
        select
          b.*,
          b.created_at as "k0",
          b.experiment_id collate "C" as "k1"
        from
          (
            select
              e.*,
              p.display_name as owner_name
            from
              experiment e
              join person p on p.person_id = e.owner_id
            where
              e.tenant_id = $n
          ) b
      ) b
    where
      b.deleted_at is null
      and true
      and true
      and true
      and true
    order by
      "b"."k0" desc nulls last,
      "b"."k1" asc nulls last
    limit
      $n
  )
select
  b.experiment_id,
  b.name,
  b.description,
  b.owner_id,
  b.owner_name,
  b.visibility,
  b.snapshot_of,
  b.snapshot_epoch,
  b.labels,
  null::text as notes,
  b.archived_at is not null as archived,
  b.created_at,
  b.updated_at,
  (
    select
      d.parameters
    from
      saved_view d
    where
      d.tenant_id = $n
      and d.experiment_id = b.experiment_id
      and d.is_default
  ) as default_view,
  coalesce(n.runs, 0) as runs,
  coalesce(n.points, 0) as points,
  coalesce(c.tensors, 0) as tensors,
  coalesce(c.blob_sequences, 0) as blob_sequences,
  a.acknowledged_bytes,
  a.acknowledged_epoch,
  a.acknowledged_at,
  w.published_epoch
from
  page b
  join experiment_epoch a on a.tenant_id = $n
  and a.experiment_id = b.experiment_id
  left join (
    select
      s.experiment_id,
      count(*) filter (
        where
          s.events > 0
      ) as runs,
      sum(s.points) as points
    from
      run_state s
    where
      s.tenant_id = $n
      and s.experiment_id in (
        select
          experiment_id
        from
          page
      )
      and not exists (
        select
        from
          run d
        where
          d.tenant_id = $n
          and d.run_id = s.run_id
          and d.deleted_at is not null
      )
    group by
      s.experiment_id
  ) n on n.experiment_id = b.experiment_id
  left join (
    select
      s.experiment_id,
      sum(v.points + v.superseded_points) filter (
        where
          s.data_class = 'tensor'
      ) as tensors,
      sum(v.points + v.superseded_points) filter (
        where
          s.data_class = 'blob_sequence'
      ) as blob_sequences
    from
      series s,
      lateral (
        select
          points,
          superseded_points
        from
          series_stats
        where
          tenant_id = $n
          and series_id = s.series_id
        offset
          0
      ) v
    where
      s.data_class <> 'scalar'
      and s.tenant_id = $n
      and s.experiment_id in (
        select
          experiment_id
        from
          page
      )
      and not exists (
        select
        from
          run d
        where
          d.tenant_id = $n
          and d.run_id = s.run_id
          and d.deleted_at is not null
      )
    group by
      s.experiment_id
  ) c on c.experiment_id = b.experiment_id,
  lateral (
    select
      coalesce(
        (
          select
            v.published_epoch
          from
            progress_view v
          where
            v.tenant_id = $n
            and v.experiment_id = b.experiment_id
        ),
        (
          select
            min(g.epoch) - 1
          from
            pending_segment g
          where
            g.tenant_id = $n
            and g.experiment_id = b.experiment_id
        ),
        a.acknowledged_epoch
      ) as published_epoch
  ) w
order by
  "b"."k0" desc nulls last,
  "b"."k1" asc nulls last;

/* summarize */
with
  page as materialized (
    select
      e.*,
      p.display_name as owner_name
    from
      experiment e
      join person p on p.person_id = e.owner_id
    where
      e.tenant_id = $n
      and e.experiment_id = $n
      and e.deleted_at is null
  )
select
  b.experiment_id,
  b.name,
  b.description,
  b.owner_id,
  b.owner_name,
  b.visibility,
  b.snapshot_of,
  b.snapshot_epoch,
  b.labels,
  b.notes as notes,
  b.archived_at is not null as archived,
  b.created_at,
  b.updated_at,
  (
    select
      d.parameters
    from
      saved_view d
    where
      d.tenant_id = $n
      and d.experiment_id = b.experiment_id
      and d.is_default
  ) as default_view,
  (
    select
      count(*)
    from
      run r
      join run_state s on s.tenant_id = $n
      and s.run_id = r.run_id
    where
      r.tenant_id = $n
      and r.experiment_id = b.experiment_id
      and r.deleted_at is null
      and s.events > 0
      and r.name_hash = any ($n::bytea[])
      and exists (
        select
        from
          series v
        where
          v.tenant_id = $n
          and v.run_id = r.run_id
          and v.tag_hash = any ($n::bytea[])
      )
  ) as runs,
  coalesce(n.points, 0) as points,
  coalesce(c.tensors, 0) as tensors,
  coalesce(c.blob_sequences, 0) as blob_sequences,
  a.acknowledged_bytes,
  a.acknowledged_epoch,
  a.acknowledged_at,
  w.published_epoch
from
  page b
  join experiment_epoch a on a.tenant_id = $n
  and a.experiment_id = b.experiment_id
  left join (
    select
      s.experiment_id,
      count(*) filter (
        where
          s.events > 0
      ) as runs,
      sum(s.points) as points
    from
      run_state s
    where
      s.tenant_id = $n
      and s.experiment_id in (
        select
          experiment_id
        from
          page
      )
      and not exists (
        select
        from
          run d
        where
          d.tenant_id = $n
          and d.run_id = s.run_id
          and d.deleted_at is not null
      )
    group by
      s.experiment_id
  ) n on n.experiment_id = b.experiment_id
  left join (
    select
      s.experiment_id,
      sum(v.points + v.superseded_points) filter (
        where
          s.data_class = 'tensor'
      ) as tensors,
      sum(v.points + v.superseded_points) filter (
        where
          s.data_class = 'blob_sequence'
      ) as blob_sequences
    from
      series s,
      lateral (
        select
          points,
          superseded_points
        from
          series_stats
        where
          tenant_id = $n
          and series_id = s.series_id
        offset
          0
      ) v
    where
      s.data_class <> 'scalar'
      and s.tenant_id = $n
      and s.experiment_id in (
        select
          experiment_id
        from
          page
      )
      and not exists (
        select
        from
          run d
        where
          d.tenant_id = $n
          and d.run_id = s.run_id
          and d.deleted_at is not null
      )
    group by
      s.experiment_id
  ) c on c.experiment_id = b.experiment_id,
  lateral (
    select
      coalesce(
        (
          select
            v.published_epoch
          from
            progress_view v
          where
            v.tenant_id = $n
            and v.experiment_id = b.experiment_id
        ),
        (
          select
            min(g.epoch) - 1
          from
            pending_segment g
          where
            g.tenant_id = $n
            and g.experiment_id = b.experiment_id
        ),
        a.acknowledged_epoch
      ) as published_epoch
  ) w
order by
  b.experiment_id;

/* summarize */
with
  page as materialized (
    select
      e.*,
      p.display_name as owner_name
    from
      experiment e
      join person p on p.person_id = e.owner_id
    where
      e.tenant_id = $n
      and e.experiment_id = $n
      and e.deleted_at is null
  )
select
  b.experiment_id,
  b.name,
  b.description,
  b.owner_id,
  b.owner_name,
  b.visibility,
  b.snapshot_of,
  b.snapshot_epoch,
  b.labels,
  b.notes as notes,
  b.archived_at is not null as archived,
  b.created_at,
  b.updated_at,
  (
    select
      d.parameters
    from
      saved_view d
    where
      d.tenant_id = $n
      and d.experiment_id = b.experiment_id
      and d.is_default
  ) as default_view,
  coalesce(n.runs, 0) as runs,
  coalesce(n.points, 0) as points,
  coalesce(c.tensors, 0) as tensors,
  coalesce(c.blob_sequences, 0) as blob_sequences,
  a.acknowledged_bytes,
  a.acknowledged_epoch,
  a.acknowledged_at,
  w.published_epoch
from
  page b
  join experiment_epoch a on a.tenant_id = $n
  and a.experiment_id = b.experiment_id
  left join (
    select
      s.experiment_id,
      count(*) filter (
        where
          s.events > 0
      ) as runs,
      sum(s.points) as points
    from
      run_state s
    where
      s.tenant_id = $n
      and s.experiment_id in (
        select
          experiment_id
        from
          page
      )
      and not exists (
        select
        from
          run d
        where
          d.tenant_id = $n
          and d.run_id = s.run_id
          and d.deleted_at is not null
      )
    group by
      s.experiment_id
  ) n on n.experiment_id = b.experiment_id
  left join (
    select
      s.experiment_id,
      sum(v.points + v.superseded_points) filter (
        where
          s.data_class = 'tensor'
      ) as tensors,
      sum(v.points + v.superseded_points) filter (
        where
          s.data_class = 'blob_sequence'
      ) as blob_sequences
    from
      series s,
      lateral (
        select
          points,
          superseded_points
        from
          series_stats
        where
          tenant_id = $n
          and series_id = s.series_id
        offset
          0
      ) v
    where
      s.data_class <> 'scalar'
      and s.tenant_id = $n
      and s.experiment_id in (
        select
          experiment_id
        from
          page
      )
      and not exists (
        select
        from
          run d
        where
          d.tenant_id = $n
          and d.run_id = s.run_id
          and d.deleted_at is not null
      )
    group by
      s.experiment_id
  ) c on c.experiment_id = b.experiment_id,
  lateral (
    select
      coalesce(
        (
          select
            v.published_epoch
          from
            progress_view v
          where
            v.tenant_id = $n
            and v.experiment_id = b.experiment_id
        ),
        (
          select
            min(g.epoch) - 1
          from
            pending_segment g
          where
            g.tenant_id = $n
            and g.experiment_id = b.experiment_id
        ),
        a.acknowledged_epoch
      ) as published_epoch
  ) w
order by
  b.experiment_id;

/* summarize */
with
  page as materialized (
    with
      a as materialized (
        select
          b.*,
          (
            select
              g.acknowledged_at
            from
              experiment_epoch g
            where
              g.tenant_id = $n
              and g.experiment_id = b.experiment_id
          ) as "k0",
          b.experiment_id collate "C" as "k1"
        from
          (
            select
              e.*,
              p.display_name as owner_name
            from
              experiment e
              join person p on p.person_id = e.owner_id
            where
              e.tenant_id = $n
              and e.experiment_id = $n
          ) b
      )
    select
      b.*
    from
      (
        select
          b.*,
          (
            select
              g.acknowledged_at
            from
              experiment_epoch g
            where
              g.tenant_id = $n
              and g.experiment_id = b.experiment_id
          ) as "k0",
          b.experiment_id collate "C" as "k1"
        from
          (
            select
              e.*,
              p.display_name as owner_name
            from
              experiment e
              join person p on p.person_id = e.owner_id
            where
              e.tenant_id = $n
          ) b
      ) b
    where
      b.deleted_at is null
      and b.experiment_id = any ($n::text[])
      and b.owner_id = $n
      and coalesce(b.name = $n::text, false)
      and (
        (
          (
            select
              "a"."k0"
            from
              a
          ) is not null
          and (
            "b"."k0" > (
              select
                "a"."k0"
              from
                a
            )
            or "b"."k0" is null
          )
        )
        or (
          "b"."k0" is not distinct from (
            select
              "a"."k0"
            from
              a
          )
          and (
            select
              "a"."k1"
            from
              a
          ) is not null
          and (
            "b"."k1" > (
              select
                "a"."k1"
              from
                a
            )
            or "b"."k1" is null
          )
        )
      )
    order by
      "b"."k0" asc nulls last,
      "b"."k1" asc nulls last
    limit
      $n
  )
select
  b.experiment_id,
  b.name,
  b.description,
  b.owner_id,
  b.owner_name,
  b.visibility,
  b.snapshot_of,
  b.snapshot_epoch,
  b.labels,
  null::text as notes,
  b.archived_at is not null as archived,
  b.created_at,
  b.updated_at,
  (
    select
      d.parameters
    from
      saved_view d
    where
      d.tenant_id = $n
      and d.experiment_id = b.experiment_id
      and d.is_default
  ) as default_view,
  coalesce(n.runs, 0) as runs,
  coalesce(n.points, 0) as points,
  coalesce(c.tensors, 0) as tensors,
  coalesce(c.blob_sequences, 0) as blob_sequences,
  a.acknowledged_bytes,
  a.acknowledged_epoch,
  a.acknowledged_at,
  w.published_epoch
from
  page b
  join experiment_epoch a on a.tenant_id = $n
  and a.experiment_id = b.experiment_id
  left join (
    select
      s.experiment_id,
      count(*) filter (
        where
          s.events > 0
      ) as runs,
      sum(s.points) as points
    from
      run_state s
    where
      s.tenant_id = $n
      and s.experiment_id in (
        select
          experiment_id
        from
          page
      )
      and not exists (
        select
        from
          run d
        where
          d.tenant_id = $n
          and d.run_id = s.run_id
          and d.deleted_at is not null
      )
    group by
      s.experiment_id
  ) n on n.experiment_id = b.experiment_id
  left join (
    select
      s.experiment_id,
      sum(v.points + v.superseded_points) filter (
        where
          s.data_class = 'tensor'
      ) as tensors,
      sum(v.points + v.superseded_points) filter (
        where
          s.data_class = 'blob_sequence'
      ) as blob_sequences
    from
      series s,
      lateral (
        select
          points,
          superseded_points
        from
          series_stats
        where
          tenant_id = $n
          and series_id = s.series_id
        offset
          0
      ) v
    where
      s.data_class <> 'scalar'
      and s.tenant_id = $n
      and s.experiment_id in (
        select
          experiment_id
        from
          page
      )
      and not exists (
        select
        from
          run d
        where
          d.tenant_id = $n
          and d.run_id = s.run_id
          and d.deleted_at is not null
      )
    group by
      s.experiment_id
  ) c on c.experiment_id = b.experiment_id,
  lateral (
    select
      coalesce(
        (
          select
            v.published_epoch
          from
            progress_view v
          where
            v.tenant_id = $n
            and v.experiment_id = b.experiment_id
        ),
        (
          select
            min(g.epoch) - 1
          from
            pending_segment g
          where
            g.tenant_id = $n
            and g.experiment_id = b.experiment_id
        ),
        a.acknowledged_epoch
      ) as published_epoch
  ) w
order by
  "b"."k0" asc nulls last,
  "b"."k1" asc nulls last;

/* unbound-filter */
select
  set_config('statement_timeout', '0', true);

select
  (
    (not coalesce(b.experiment_id = $n::text, false))
    and (
      not coalesce(
        extract(
          epoch
          from
            b.updated_at
        )::float8 = $n::float8,
        false
      )
    )
  )
from
  b;

select
  (
    select
      g.acknowledged_at
    from
      experiment_epoch g
    where
      g.tenant_id = $n
      and g.experiment_id = b.experiment_id
  )
from
  b;

select
  b.created_at
from
  b;

select
  b.experiment_id collate "C"
from
  b;

select
  coalesce(
    exists (
      select
      from
        unnest(b.labels) as one (label)
      where
        one.label = $n::text
    ),
    false
  )
from
  b;

select
  coalesce(
    nullif(
      extract(
        epoch
        from
          (
            select
              g.acknowledged_at
            from
              experiment_epoch g
            where
              g.tenant_id = $n
              and g.experiment_id = b.experiment_id
          )
      )::float8,
      'NaN'::float8
    ) < nullif($n::float8, 'NaN'::float8),
    false
  )
from
  b;

select
  coalesce(
    nullif(
      extract(
        epoch
        from
          b.created_at
      )::float8,
      'NaN'::float8
    ) >= nullif($n::float8, 'NaN'::float8),
    false
  )
from
  b;

select
  coalesce((b.archived_at is not null)::text = $n::text, false)
from
  b;

select
  coalesce(b.name = $n::text, false)
from
  b;

select
  coalesce(b.owner_name ~ $n::text, false)
from
  b;

select
  coalesce(position(lower($n::text) in lower(b.description)) > 0, false)
from
  b;
