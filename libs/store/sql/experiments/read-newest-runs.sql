-- returns experiment_id text, run_id bigint, name text, display_name text, state text, series_ids bigint[], tags text[]
/* read-newest-runs */
select
  w.experiment_id,
  n.run_id,
  n.name,
  n.display_name,
  n.state,
  c.series_ids,
  c.tags
from
  unnest($n::text[]) as w (experiment_id),
  lateral (
    select
      r.run_id,
      r.name,
      coalesce(r.display_name, f.display_name) as display_name,
      case
        when coalesce(f.status, s.status) = 'success' then 'finished'
        when coalesce(f.status, s.status) = 'failure' then 'failed'
        when s.ingested_at is null then 'unknown'
        when f.heartbeat_seconds is not null
        and extract(
          epoch
          from
            now() - s.ingested_at
        ) > greatest(120, 6 * f.heartbeat_seconds) then 'crashed'
        when f.heartbeat_seconds is not null
        and s.last_time - coalesce(
          (
            select
              max(p.last_wall_time)
            from
              event_file e
              join file_progress p on p.tenant_id = $n
              and p.file_id = e.file_id
            where
              e.tenant_id = $n
              and e.run_id = r.run_id
              and e.name not like '%.system'
          ),
          s.start_time
        ) > 600 then 'stalled'
        when f.heartbeat_seconds is not null then 'running'
        when extract(
          epoch
          from
            now() - s.ingested_at
        ) <= 600
        and extract(
          epoch
          from
            now()
        )::float8 - s.last_time <= 600 then 'running'
        when coalesce(f.status, s.status) = 'running'
        or s.hparams is not null then 'stalled'
        else 'unknown'
      end as state
    from
      run_state s
      join run r on r.tenant_id = $n
      and r.run_id = s.run_id
      left join run_facts f on f.tenant_id = $n
      and f.run_id = s.run_id
    where
      s.tenant_id = $n
      and s.experiment_id = w.experiment_id
      and s.events > 0
      and r.deleted_at is null
      and r.archived_at is null
    order by
      s.start_time desc nulls last,
      s.run_id desc
    limit
      1
  ) n,
  lateral (
    select
      array_agg(
        k.series_id
        order by
          k.series_id
      ) as series_ids,
      array_agg(
        k.tag
        order by
          k.series_id
      ) as tags
    from
      (
        select
          s.series_id,
          s.tag
        from
          series s
        where
          s.tenant_id = $n
          and s.run_id = n.run_id
          and s.data_class = 'scalar'
          and s.listed
          and not s.twin
          and s.writer = 0
          and s.tag_hash = any ($n::bytea[])
        union
        (
          select
            s.series_id,
            s.tag
          from
            series s
          where
            s.tenant_id = $n
            and s.run_id = n.run_id
            and s.data_class = 'scalar'
            and s.listed
            and not s.twin
            and s.writer = 0
          order by
            s.tag_hash
          limit
            $n
        )
      ) k
  ) c;
