/* bound-filter */
select
  set_config('statement_timeout', $n, true);

/* list-runs */
select
from
  run r
where
  r.tenant_id = $n
  and r.experiment_id = $n
  and r.run_id = $n
  and r.name_hash = any ($n::bytea[])
  and exists (
    select
    from
      series v
    where
      v.tenant_id = $n
      and v.run_id = r.run_id
      and v.tag_hash = any ($n::bytea[])
  );

/* list-runs-keyed */
with
  "t0" as materialized (
    select
      l.run_id,
      l.value
    from
      unnest($n::int8[], $n::float8[]) as l (run_id, value)
  ),
  keyed as materialized (
    select
      b.run_id,
      nullif(nullif(nullif("t0"."value", 'NaN'::float8), 'Infinity'::float8), '-Infinity'::float8) as "k0",
      "b"."name" collate "C" as "k1"
    from
      (
        select
          r.run_id,
          r.name,
          s.events,
          s.start_time,
          s.last_time,
          coalesce(f.status, s.status) as status,
          s.group_name as group_name,
          s.hparams as hparams,
          coalesce(r.display_name, f.display_name) as display_name,
          f.job_type as job_type,
          f.command as command,
          f.git_commit as git_commit,
          f.git_dirty as git_dirty,
          f.git_branch as git_branch,
          f.git_remote as git_remote,
          f.folder as folder,
          f.person as person,
          f.host as host,
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
          end as state,
          extract(
            epoch
            from
              s.ingested_at
          )::float8 as heartbeat,
          case
            when r.labels_set
            or r.labels <> '{}' then r.labels
            else coalesce(f.labels, '{}')
          end as labels,
          r.notes,
          r.archived_at is not null as archived
        from
          run r
          join run_state s on s.tenant_id = $n
          and s.run_id = r.run_id
          left join run_facts f on f.tenant_id = $n
          and f.run_id = r.run_id
        where
          r.tenant_id = $n
          and r.experiment_id = $n
          and r.deleted_at is null
          and s.events > 0
          and true
      ) b
      left join "t0" on "t0"."run_id" = b.run_id
    where
      true
  ),
  page as (
    select
      b.*
    from
      keyed b
    order by
      "b"."k0" desc nulls last,
      "b"."k1" asc nulls last
    limit
      $n
  )
select
  b.run_id,
  b.name,
  b.events,
  b.start_time,
  b.last_time,
  b.status,
  b.group_name,
  b.hparams,
  b.labels,
  b.notes,
  b.archived,
  b.display_name,
  b.job_type,
  b.command,
  b.git_commit,
  b.git_dirty,
  b.git_branch,
  b.git_remote,
  b.folder,
  b.person,
  b.host,
  b.state,
  b.heartbeat
from
  (
    select
      d.*,
      "p"."k0",
      "p"."k1"
    from
      page p
      join (
        select
          r.run_id,
          r.name,
          s.events,
          s.start_time,
          s.last_time,
          coalesce(f.status, s.status) as status,
          s.group_name as group_name,
          s.hparams as hparams,
          coalesce(r.display_name, f.display_name) as display_name,
          f.job_type as job_type,
          f.command as command,
          f.git_commit as git_commit,
          f.git_dirty as git_dirty,
          f.git_branch as git_branch,
          f.git_remote as git_remote,
          f.folder as folder,
          f.person as person,
          f.host as host,
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
          end as state,
          extract(
            epoch
            from
              s.ingested_at
          )::float8 as heartbeat,
          case
            when r.labels_set
            or r.labels <> '{}' then r.labels
            else coalesce(f.labels, '{}')
          end as labels,
          r.notes,
          r.archived_at is not null as archived
        from
          run r
          join run_state s on s.tenant_id = $n
          and s.run_id = r.run_id
          left join run_facts f on f.tenant_id = $n
          and f.run_id = r.run_id
        where
          r.tenant_id = $n
          and r.experiment_id = $n
          and r.deleted_at is null
          and s.events > 0
          and true
      ) d on d.run_id = p.run_id
  ) b
order by
  "b"."k0" desc nulls last,
  "b"."k1" asc nulls last;

/* list-runs-keyed */
with
  "t0" as materialized (
    select distinct
      on (s.run_id) s.run_id,
      v.last_value as "last",
      v.last_step::float8 as "lastStep"
    from
      run r
      join series s on s.tenant_id = $n
      and s.run_id = r.run_id
      join series_stats v on v.tenant_id = $n
      and v.series_id = s.series_id
    where
      r.tenant_id = $n
      and r.experiment_id = $n
      and s.tag_hash = $n
      and not s.twin
      and s.data_class = 'scalar'
    order by
      s.run_id,
      v.last_step desc nulls last,
      v.last_wall_time desc nulls last,
      s.writer
  ),
  keyed as materialized (
    select
      b.run_id,
      nullif(nullif(nullif("b"."start_time", 'NaN'::float8), 'Infinity'::float8), '-Infinity'::float8) as "k0",
      "b"."name" collate "C" as "k1"
    from
      (
        select
          r.run_id,
          r.name,
          s.events,
          s.start_time,
          s.last_time,
          'unknown'::text as status,
          null::text as group_name,
          null::jsonb as hparams,
          r.display_name as display_name,
          null::text as job_type,
          null::text as command,
          null::text as git_commit,
          null::boolean as git_dirty,
          null::text as git_branch,
          null::text as git_remote,
          null::text as folder,
          null::text as person,
          null::text as host,
          'unknown' as state,
          extract(
            epoch
            from
              s.ingested_at
          )::float8 as heartbeat,
          case
            when r.labels_set
            or r.labels <> '{}' then r.labels
            else '{}'::text[]
          end as labels,
          r.notes,
          r.archived_at is not null as archived
        from
          run r
          join run_state s on s.tenant_id = $n
          and s.run_id = r.run_id
          left join run_facts f on f.tenant_id = $n
          and f.run_id = r.run_id
        where
          r.tenant_id = $n
          and r.experiment_id = $n
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
      ) b
      left join "t0" on "t0"."run_id" = b.run_id
    where
      coalesce(
        nullif(
          coalesce(
            (
              select
                l.value
              from
                unnest($n::int8[], $n::float8[]) as l (run_id, value)
              where
                l.run_id = b.run_id
            ),
            "t0"."last"
          ),
          'NaN'::float8
        ) > nullif($n::float8, 'NaN'::float8),
        false
      )
  ),
  page as (
    select
      b.*
    from
      keyed b
      join (
        select
          nullif(nullif(nullif("b"."start_time", 'NaN'::float8), 'Infinity'::float8), '-Infinity'::float8) as "k0",
          "b"."name" collate "C" as "k1"
        from
          (
            select
              r.run_id,
              r.name,
              s.events,
              s.start_time,
              s.last_time,
              'unknown'::text as status,
              null::text as group_name,
              null::jsonb as hparams,
              r.display_name as display_name,
              null::text as job_type,
              null::text as command,
              null::text as git_commit,
              null::boolean as git_dirty,
              null::text as git_branch,
              null::text as git_remote,
              null::text as folder,
              null::text as person,
              null::text as host,
              'unknown' as state,
              extract(
                epoch
                from
                  s.ingested_at
              )::float8 as heartbeat,
              case
                when r.labels_set
                or r.labels <> '{}' then r.labels
                else '{}'::text[]
              end as labels,
              r.notes,
              r.archived_at is not null as archived
            from
              run r
              join run_state s on s.tenant_id = $n
              and s.run_id = r.run_id
              left join run_facts f on f.tenant_id = $n
              and f.run_id = r.run_id
            where
              r.tenant_id = $n
              and r.experiment_id = $n
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
          ) b
        where
          b.run_id = $n
      ) a on (
        (
          "a"."k0" is not null
          and (
            "b"."k0" < "a"."k0"
            or "b"."k0" is null
          )
        )
        or (
          "b"."k0" is not distinct from "a"."k0"
          and "a"."k1" is not null
          and (
            "b"."k1" > "a"."k1"
            or "b"."k1" is null
          )
        )
      )
    order by
      "b"."k0" desc nulls last,
      "b"."k1" asc nulls last
    limit
      $n
  )
select
  b.run_id,
  b.name,
  b.events,
  b.start_time,
  b.last_time,
  b.status,
  b.group_name,
  b.hparams,
  b.labels,
  b.notes,
  b.archived,
  b.display_name,
  b.job_type,
  b.command,
  b.git_commit,
  b.git_dirty,
  b.git_branch,
  b.git_remote,
  b.folder,
  b.person,
  b.host,
  b.state,
  b.heartbeat,
  (b.last_time - b.start_time) as "v0",
  coalesce(
    (
      select
        l.value
      from
        unnest($n::int8[], $n::float8[]) as l (run_id, value)
      where
        l.run_id = b.run_id
    ),
    (
      select
        v.last_step::float8
      from
        series s
        join series_stats v on v.tenant_id = $n
        and v.series_id = s.series_id
      where
        s.tenant_id = $n
        and s.run_id = b.run_id
        and s.tag_hash = $n
        and not s.twin
        and s.data_class = 'scalar'
      order by
        v.last_step desc nulls last,
        v.last_wall_time desc nulls last,
        s.writer
      limit
        1
    )
  ) as "v1",
  case
    when b.status = 'success' then 'finished'
    when b.status = 'failure' then 'failed'
    when b.state = 'crashed' then 'crashed'
    when b.status = 'running'
    or b.hparams <> '{}'::jsonb then case
      when (
        extract(
          epoch
          from
            now()
        )::float8 - b.last_time
      ) >= $n::float8 then 'stalled'
      else 'running'
    end
    when (
      extract(
        epoch
        from
          now()
      )::float8 - b.last_time
    ) < $n::float8 then 'running'
    else 'unknown'
  end as "v2"
from
  (
    select
      d.*,
      "p"."k0",
      "p"."k1"
    from
      page p
      join (
        select
          r.run_id,
          r.name,
          s.events,
          s.start_time,
          s.last_time,
          'unknown'::text as status,
          null::text as group_name,
          null::jsonb as hparams,
          r.display_name as display_name,
          null::text as job_type,
          null::text as command,
          null::text as git_commit,
          null::boolean as git_dirty,
          null::text as git_branch,
          null::text as git_remote,
          null::text as folder,
          null::text as person,
          null::text as host,
          'unknown' as state,
          extract(
            epoch
            from
              s.ingested_at
          )::float8 as heartbeat,
          case
            when r.labels_set
            or r.labels <> '{}' then r.labels
            else '{}'::text[]
          end as labels,
          r.notes,
          r.archived_at is not null as archived
        from
          run r
          join run_state s on s.tenant_id = $n
          and s.run_id = r.run_id
          left join run_facts f on f.tenant_id = $n
          and f.run_id = r.run_id
        where
          r.tenant_id = $n
          and r.experiment_id = $n
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
      ) d on d.run_id = p.run_id
  ) b
order by
  "b"."k0" desc nulls last,
  "b"."k1" asc nulls last;

/* list-runs-keyed */
with
  keyed as materialized (
    select
      b.run_id,
      "b"."name" collate "C" as "k0"
    from
      (
        select
          r.run_id,
          r.name,
          s.events,
          s.start_time,
          s.last_time,
          coalesce(f.status, s.status) as status,
          s.group_name as group_name,
          s.hparams as hparams,
          coalesce(r.display_name, f.display_name) as display_name,
          f.job_type as job_type,
          f.command as command,
          f.git_commit as git_commit,
          f.git_dirty as git_dirty,
          f.git_branch as git_branch,
          f.git_remote as git_remote,
          f.folder as folder,
          f.person as person,
          f.host as host,
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
          end as state,
          extract(
            epoch
            from
              s.ingested_at
          )::float8 as heartbeat,
          case
            when r.labels_set
            or r.labels <> '{}' then r.labels
            else coalesce(f.labels, '{}')
          end as labels,
          r.notes,
          r.archived_at is not null as archived
        from
          run r
          join run_state s on s.tenant_id = $n
          and s.run_id = r.run_id
          left join run_facts f on f.tenant_id = $n
          and f.run_id = r.run_id
        where
          r.tenant_id = $n
          and r.experiment_id = $n
          and r.deleted_at is null
          and s.events > 0
          and true
      ) b
    where
      coalesce(
        case
          when b.status = 'success' then 'finished'
          when b.status = 'failure' then 'failed'
          when b.state = 'crashed' then 'crashed'
          when b.status = 'running'
          or b.hparams <> '{}'::jsonb then case
            when (
              extract(
                epoch
                from
                  now()
              )::float8 - b.last_time
            ) >= $n::float8 then 'stalled'
            else 'running'
          end
          when (
            extract(
              epoch
              from
                now()
            )::float8 - b.last_time
          ) < $n::float8 then 'running'
          else 'unknown'
        end = $n::text,
        false
      )
  ),
  page as (
    select
      b.*
    from
      keyed b
    order by
      "b"."k0" asc nulls last
    limit
      $n
  )
select
  b.run_id,
  b.name,
  b.events,
  b.start_time,
  b.last_time,
  b.status,
  b.group_name,
  b.hparams,
  b.labels,
  b.notes,
  b.archived,
  b.display_name,
  b.job_type,
  b.command,
  b.git_commit,
  b.git_dirty,
  b.git_branch,
  b.git_remote,
  b.folder,
  b.person,
  b.host,
  b.state,
  b.heartbeat,
  (
    select
      count(*)
    from
      keyed
  ) as total
from
  (
    select
      d.*,
      "p"."k0"
    from
      page p
      join (
        select
          r.run_id,
          r.name,
          s.events,
          s.start_time,
          s.last_time,
          coalesce(f.status, s.status) as status,
          s.group_name as group_name,
          s.hparams as hparams,
          coalesce(r.display_name, f.display_name) as display_name,
          f.job_type as job_type,
          f.command as command,
          f.git_commit as git_commit,
          f.git_dirty as git_dirty,
          f.git_branch as git_branch,
          f.git_remote as git_remote,
          f.folder as folder,
          f.person as person,
          f.host as host,
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
          end as state,
          extract(
            epoch
            from
              s.ingested_at
          )::float8 as heartbeat,
          case
            when r.labels_set
            or r.labels <> '{}' then r.labels
            else coalesce(f.labels, '{}')
          end as labels,
          r.notes,
          r.archived_at is not null as archived
        from
          run r
          join run_state s on s.tenant_id = $n
          and s.run_id = r.run_id
          left join run_facts f on f.tenant_id = $n
          and f.run_id = r.run_id
        where
          r.tenant_id = $n
          and r.experiment_id = $n
          and r.deleted_at is null
          and s.events > 0
          and true
      ) d on d.run_id = p.run_id
  ) b
order by
  "b"."k0" asc nulls last;

/* list-runs-keyed */
with
  keyed as materialized (
    select
      b.run_id,
      "b"."name" collate "C" as "k0"
    from
      (
        select
          r.run_id,
          r.name,
          s.events,
          s.start_time,
          s.last_time,
          coalesce(f.status, s.status) as status,
          s.group_name as group_name,
          s.hparams as hparams,
          coalesce(r.display_name, f.display_name) as display_name,
          f.job_type as job_type,
          f.command as command,
          f.git_commit as git_commit,
          f.git_dirty as git_dirty,
          f.git_branch as git_branch,
          f.git_remote as git_remote,
          f.folder as folder,
          f.person as person,
          f.host as host,
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
          end as state,
          extract(
            epoch
            from
              s.ingested_at
          )::float8 as heartbeat,
          case
            when r.labels_set
            or r.labels <> '{}' then r.labels
            else coalesce(f.labels, '{}')
          end as labels,
          r.notes,
          r.archived_at is not null as archived
        from
          run r
          join run_state s on s.tenant_id = $n
          and s.run_id = r.run_id
          left join run_facts f on f.tenant_id = $n
          and f.run_id = r.run_id
        where
          r.tenant_id = $n
          and r.experiment_id = $n
          and r.deleted_at is null
          and s.events > 0
          and true
      ) b
    where
      true
  ),
  page as (
    select
      b.*
    from
      keyed b
    order by
      "b"."k0" asc nulls last
    limit
      $n
  )
select
  b.run_id,
  b.name,
  b.events,
  b.start_time,
  b.last_time,
  b.status,
  b.group_name,
  b.hparams,
  b.labels,
  b.notes,
  b.archived,
  b.display_name,
  b.job_type,
  b.command,
  b.git_commit,
  b.git_dirty,
  b.git_branch,
  b.git_remote,
  b.folder,
  b.person,
  b.host,
  b.state,
  b.heartbeat
from
  (
    select
      d.*,
      "p"."k0"
    from
      page p
      join (
        select
          r.run_id,
          r.name,
          s.events,
          s.start_time,
          s.last_time,
          coalesce(f.status, s.status) as status,
          s.group_name as group_name,
          s.hparams as hparams,
          coalesce(r.display_name, f.display_name) as display_name,
          f.job_type as job_type,
          f.command as command,
          f.git_commit as git_commit,
          f.git_dirty as git_dirty,
          f.git_branch as git_branch,
          f.git_remote as git_remote,
          f.folder as folder,
          f.person as person,
          f.host as host,
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
          end as state,
          extract(
            epoch
            from
              s.ingested_at
          )::float8 as heartbeat,
          case
            when r.labels_set
            or r.labels <> '{}' then r.labels
            else coalesce(f.labels, '{}')
          end as labels,
          r.notes,
          r.archived_at is not null as archived
        from
          run r
          join run_state s on s.tenant_id = $n
          and s.run_id = r.run_id
          left join run_facts f on f.tenant_id = $n
          and f.run_id = r.run_id
        where
          r.tenant_id = $n
          and r.experiment_id = $n
          and r.deleted_at is null
          and s.events > 0
          and true
      ) d on d.run_id = p.run_id
  ) b
order by
  "b"."k0" asc nulls last;

/* unbound-filter */
select
  set_config('statement_timeout', '0', true);

select
  "b"."name" collate "C"
from
  b;

select
  (
    coalesce(
      (
        select
          max(v.max_value)
        from
          series s
          join series_stats v on v.tenant_id = $n
          and v.series_id = s.series_id
        where
          s.tenant_id = $n
          and s.run_id = b.run_id
          and s.tag_hash = $n
          and not s.twin
          and s.data_class = 'scalar'
      ) = $n::float8,
      false
    )
    and (not coalesce("b"."name" < $n::text, false))
  )
from
  b;

select
  (
    not (
      coalesce("b"."status" = $n::text, false)
      or coalesce("b"."group_name" = $n::text, false)
    )
  )
from
  b;

select
  (
    not coalesce(
      case
        when jsonb_typeof(b.hparams -> $n::text) = 'boolean' then (b.hparams -> $n::text #>> '{}') = $n
      end,
      false
    )
  )
from
  b;

select
  (
    not coalesce(
      exists (
        select
        from
          unnest(b.labels) as one (label)
        where
          one.label = $n::text
      ),
      false
    )
  )
from
  b;

select
  (not coalesce("b"."name" ~ $n::text, false))
from
  b;

select
  coalesce(
    case
      when jsonb_typeof(b.hparams -> $n::text) = 'number'
      or (b.hparams -> $n::text #>> '{}') in ('NaN', 'Infinity', '-Infinity') then nullif((b.hparams -> $n::text #>> '{}')::float8, 'NaN'::float8) < nullif($n::float8, 'NaN'::float8)
    end,
    false
  )
from
  b;

select
  coalesce(
    case
      when jsonb_typeof(b.hparams -> $n::text) = 'string' then (b.hparams -> $n::text #>> '{}') = $n::text
    end,
    false
  )
from
  b;

select
  coalesce(
    nullif(
      (
        select
          min(v.min_value)
        from
          series s
          join series_stats v on v.tenant_id = $n
          and v.series_id = s.series_id
        where
          s.tenant_id = $n
          and s.run_id = b.run_id
          and s.tag_hash = $n
          and not s.twin
          and s.data_class = 'scalar'
      ),
      'NaN'::float8
    ) <= nullif($n::float8, 'NaN'::float8),
    false
  )
from
  b;

select
  coalesce(
    nullif(
      (
        select
          v.last_value
        from
          series s
          join series_stats v on v.tenant_id = $n
          and v.series_id = s.series_id
        where
          s.tenant_id = $n
          and s.run_id = b.run_id
          and s.tag_hash = $n
          and not s.twin
          and s.data_class = 'scalar'
        order by
          v.last_step desc nulls last,
          v.last_wall_time desc nulls last,
          s.writer
        limit
          1
      ),
      'NaN'::float8
    ) > nullif($n::float8, 'NaN'::float8),
    false
  )
from
  b;

select
  coalesce("b"."name" = $n::text, false)
from
  b;

select
  coalesce("b"."name" ~ $n::text, false)
from
  b;

select
  coalesce(b.archived::text = $n::text, false)
from
  b;

select
  coalesce(nullif("b"."start_time", 'NaN'::float8) >= nullif($n::float8, 'NaN'::float8), false)
from
  b;

select
  coalesce(position(lower($n::text) in lower("b"."name")) > 0, false)
from
  b;

select
  nullif(
    nullif(
      nullif(
        (
          select
            v.last_value
          from
            series s
            join series_stats v on v.tenant_id = $n
            and v.series_id = s.series_id
          where
            s.tenant_id = $n
            and s.run_id = b.run_id
            and s.tag_hash = $n
            and not s.twin
            and s.data_class = 'scalar'
          order by
            v.last_step desc nulls last,
            v.last_wall_time desc nulls last,
            s.writer
          limit
            1
        ),
        'NaN'::float8
      ),
      'Infinity'::float8
    ),
    '-Infinity'::float8
  )
from
  b;

select
  nullif(
    nullif(nullif(b.hparams -> $n::text, to_jsonb('NaN'::text)), to_jsonb('Infinity'::text)),
    to_jsonb('-Infinity'::text)
  )
from
  b;

select
  nullif(nullif(nullif("b"."start_time", 'NaN'::float8), 'Infinity'::float8), '-Infinity'::float8)
from
  b;
